import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'
import { findInbox, findInboxOf, type InboxRow } from '../db/run-inbox.js'
import type { LaneItem, LaneOutcome } from './lane-item.js'
import { Loop } from './loop.js'

const POLL_MS = 500
const SLICE = 500

/** Carries what lies in runs' inboxes to their runs; the run's own statement deletes the row. */
export class Inbox {
  private readonly loop: Loop
  private readonly carrying = new Set<number>()

  constructor(
    private readonly pool: Pool,
    private readonly submit: (item: LaneItem) => Promise<LaneOutcome>,
    private readonly logger: Logger,
  ) {
    this.loop = new Loop('inbox', POLL_MS, async () => this.carry(await findInbox(pool, SLICE)), logger)
  }

  start(): void {
    this.loop.start()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  /** These runs are known to have something: no need to wait for the poll. */
  async fetch(runIds: readonly string[]): Promise<void> {
    try {
      this.carry(await findInboxOf(this.pool, runIds))
    } catch (error) {
      this.logger.warn({ err: error }, 'the inbox will be read by the next poll')
    }
  }

  private carry(rows: readonly InboxRow[]): void {
    for (const row of rows) {
      if (this.carrying.has(row.id)) continue
      this.carrying.add(row.id)
      this.submit({ runId: row.run_id, command: { ...row.command, inboxId: row.id } })
        .catch((error: unknown) =>
          this.logger.warn({ err: error, runId: row.run_id }, 'an inbox row will be sent again'),
        )
        .finally(() => this.carrying.delete(row.id))
    }
  }
}
