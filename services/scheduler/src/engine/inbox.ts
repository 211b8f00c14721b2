import type { Logger } from '@millrace/logger'
import type { InboxRow } from '../db/run-inbox.js'
import type { MapOutcome } from '../domain/commands.js'
import type { Environment } from './environment.js'
import { Loop, SAFETY_POLL_MS } from './loop.js'
import type { ShardItem, ShardOutcome } from './shard-item.js'
import type { InboxStore } from './store.js'

const SLICE = 500

/** Carries what lies in runs' inboxes to their runs; the run's own statement deletes the row. */
export class Inbox extends Loop {
  private readonly carrying = new Set<number>()

  constructor(
    private readonly options: {
      store: InboxStore
      env: Environment
      submit: (item: ShardItem) => Promise<ShardOutcome>
      /** How the items of a map ended. */
      outcomeOf: (runId: string, taskId: string) => Promise<MapOutcome>
      logger: Logger
    },
  ) {
    super({ name: 'inbox', everyMs: SAFETY_POLL_MS, logger: options.logger, env: options.env })
  }

  protected override async turn(): Promise<void> {
    this.carry(await this.options.store.findInbox(SLICE))
  }

  /** These runs are known to have something: no need to wait for the poll. */
  async fetch(runIds: readonly string[]): Promise<void> {
    try {
      this.carry(await this.options.store.findInboxOf(runIds))
    } catch (error) {
      this.options.logger.warn({ err: error }, 'the inbox will be read by the next poll')
    }
  }

  private carry(rows: readonly InboxRow[]): void {
    for (const row of rows) {
      if (this.carrying.has(row.id)) continue
      this.carrying.add(row.id)
      this.send(row)
        .catch((error: unknown) =>
          this.options.logger.warn({ err: error, runId: row.run_id }, 'an inbox row will be sent again'),
        )
        .finally(() => this.carrying.delete(row.id))
    }
  }

  private async send(row: InboxRow): Promise<void> {
    const { command, run_id: runId, id: inboxId } = row
    const { submit, outcomeOf } = this.options
    if (command.kind !== 'map-ended') await submit({ runId, command: { ...command, inboxId } })
    else {
      const outcome = await outcomeOf(runId, command.taskId)
      await submit({ runId, command: { ...command, outcome, inboxId } })
    }
  }
}
