import type { Logger } from '@millrace/logger'
import type { CommandStreams } from './command-streams.js'
import type { Environment } from './environment.js'
import { Loop, SAFETY_POLL_MS } from './loop.js'
import { controlMetrics } from './metrics.js'
import type { ControlStore } from './store.js'

const SLICE = 1000

/**
 * Looks, for the workers whose command streams are here, which of their tasks are to stop: where another replica decided a
 * cancel and its hint was lost.
 */
export class CancelPoller extends Loop {
  constructor(
    private readonly streams: CommandStreams,
    private readonly store: Pick<ControlStore, 'findCancelledLeases'>,
    env: Environment,
    logger: Logger,
  ) {
    super({ name: 'cancel-poller', everyMs: SAFETY_POLL_MS, logger, env })
  }

  protected override async turn(): Promise<void> {
    const sessions = this.streams.sessions()
    if (sessions.length === 0) return
    const found = await this.store.findCancelledLeases(sessions, SLICE)
    this.streams.retain(new Set(found.map((row) => row.lease_id)))
    for (const { session_id: sessionId, task_id: taskId, lease_id: leaseId, reason } of found) {
      const outcome = this.streams.cancel({ sessionId, taskId, leaseId, reason: reason ?? 'cancelled' })
      if (outcome === 'sent') controlMetrics.commands.inc({ command: 'cancel', way: 'poll' })
    }
  }
}
