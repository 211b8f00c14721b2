import { assertNever } from '@millrace/errors'
import type { Logger } from '@millrace/logger'
import type { TimerRow } from '../db/timers.js'
import type { Command } from '../domain/commands.js'
import type { TimerKind } from '../domain/effects.js'
import type { Environment } from './environment.js'
import { Loop, SAFETY_POLL_MS } from './loop.js'
import type { ShardItem, ShardOutcome } from './shard-item.js'
import type { TimerStore } from './store.js'

/** Timers are armed so long before they are due: twice the pace at which they are looked for at the least. */
export const TIMER_HORIZON_MS = 1000
const MAX_DUE = 1000

/** Sends due timers to their runs. The row is deleted by the run's own statement, so a crash only sends it again. */
export class Timers extends Loop {
  private readonly armed = new Map<number, () => void>()

  constructor(
    private readonly options: {
      store: TimerStore
      env: Environment
      submit: (item: ShardItem) => Promise<ShardOutcome>
      /** Makes a call that must happen, and submits the answer. */
      callChild: (timerId: number) => Promise<void>
      logger: Logger
    },
  ) {
    super({ name: 'timers', everyMs: SAFETY_POLL_MS, logger: options.logger, env: options.env })
  }

  override async stop(): Promise<void> {
    await super.stop()
    for (const callOff of this.armed.values()) callOff()
    this.armed.clear()
  }

  protected override async turn(): Promise<void> {
    const { store, env } = this.options
    for (const timer of await store.findTimers(TIMER_HORIZON_MS, MAX_DUE)) {
      if (this.armed.has(timer.id)) continue
      this.armed.set(
        timer.id,
        env.after(Math.max(0, timer.in_ms), () => void this.fire(timer)),
      )
    }
  }

  private async fire(timer: TimerRow): Promise<void> {
    if (this.stopped) return
    try {
      if (timer.kind === 'call-child') return await this.options.callChild(timer.id)
      const outcome = await this.options.submit({ runId: timer.run_id, command: commandOf(timer, timer.kind) })
      if (outcome === 'absent') await this.options.store.deleteTimer(timer.id)
    } catch (error) {
      this.options.logger.warn({ err: error, runId: timer.run_id, kind: timer.kind }, 'a timer will be sent again')
    } finally {
      this.armed.delete(timer.id)
    }
  }
}

function commandOf(timer: TimerRow, kind: Exclude<TimerKind, 'call-child'>): Command {
  const { id: timerId, task_id: taskId } = timer
  switch (kind) {
    case 'start':
      return { kind: 'start-due', timerId }
    case 'retry':
      return { kind: 'retry-due', taskId: taskId ?? '', timerId }
    case 'run-timeout':
      return { kind: 'run-timeout', timerId }
    case 'cancel-deadline':
    case 'advance':
      return { kind, timerId }
    case 'wake':
    case 'task-timeout':
    case 'queue-timeout':
    case 'total-timeout':
      return { kind, taskId: taskId ?? '', timerId }
    default:
      return assertNever(kind)
  }
}
