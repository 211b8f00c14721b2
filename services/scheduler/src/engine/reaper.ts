import type { Logger } from '@millrace/logger'
import type { ExpiredTask } from '../db/requeue-tasks.js'
import { type Failure, failure } from '../domain/failure.js'
import type { Announce } from './announce.js'
import type { Environment } from './environment.js'
import { Loop, SAFETY_POLL_MS } from './loop.js'
import { requeuedCommit } from './requeued-commit.js'
import type { ShardItem, ShardOutcome } from './shard-item.js'
import type { LeaseStore, SessionStore } from './store.js'

/** Shows that a scheduler lives. What is past its time is taken back as soon as it is found (`due-work.ts`). */
const BEAT_MS = 1000
/** A pause of all schedulers longer than this gives every live session a fresh term. */
const GAP_MS = 3000
const SLICE = 500
/** How long one beat keeps everybody from reaping while a replica catches up. */
const HOLD_MS = 2000

/** Takes back what workers no longer hold: tasks of ended sessions, and attempts past their time. */
export class Reaper extends Loop {
  private readonly stopping = new AbortController()
  /** Of the hold that lasts now, if any: each replica catches up once in it. */
  private catchingUp: 'no' | 'running' | 'done' = 'no'
  private isDue = true
  private sweptAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly options: {
      store: LeaseStore & SessionStore
      env: Environment
      leaseMs: number
      submit: (item: ShardItem) => Promise<ShardOutcome>
      announce: Announce
      sessionsEnded: (ids: readonly string[]) => void
      /** Resolves once the results that lay in the broker when it was called are applied. Absent: there is no broker. */
      caughtUp?: ((signal: AbortSignal) => Promise<void>) | undefined
      logger: Logger
    },
  ) {
    super({ name: 'reaper', everyMs: BEAT_MS, logger: options.logger, env: options.env })
  }

  /** Something is past its time. */
  found(): void {
    this.isDue = true
    this.poke()
  }

  override stop(): Promise<void> {
    this.stopping.abort()
    return super.stop()
  }

  protected override async turn(): Promise<void> {
    const { store, env, leaseMs, logger, sessionsEnded } = this.options
    const holds = this.options.caughtUp !== undefined
    const { gap, held, ended } = await store.recordLiveness(GAP_MS, leaseMs, {
      nowMs: this.catchingUp === 'running' ? HOLD_MS : 0,
      onGapMs: holds ? HOLD_MS : 0,
    })
    if (gap) logger.info('no scheduler was alive for a while: every session got a fresh term')
    if (ended.length > 0) {
      logger.warn({ sessions: ended.length }, 'worker sessions ended without a heartbeat')
      sessionsEnded(ended)
    }
    if (held) return this.catchUp()
    this.catchingUp = 'no'
    if (this.isDue || ended.length > 0 || env.now() - this.sweptAt >= SAFETY_POLL_MS) await this.sweep()
  }

  private async sweep(): Promise<void> {
    const { store, env } = this.options
    this.isDue = false
    this.sweptAt = env.now()
    await this.requeue()
    await Promise.all((await store.findExpiredTasks(SLICE)).map((task) => this.giveUp(task)))
  }

  /** Nothing is taken back until what workers published while nobody listened has been applied. */
  private catchUp(): void {
    const { caughtUp, logger } = this.options
    if (caughtUp === undefined || this.catchingUp !== 'no') return
    this.catchingUp = 'running'
    logger.info('reading the results that came in while no scheduler lived, before any lease is taken back')
    caughtUp(this.stopping.signal).then(
      () => {
        this.catchingUp = 'done'
      },
      (error: unknown) => {
        this.catchingUp = 'no'
        if (!this.stopping.signal.aborted) logger.warn({ err: error }, 'the results could not be caught up with')
      },
    )
  }

  private async requeue(): Promise<void> {
    const { store, announce } = this.options
    for (;;) {
      const requeued = await store.requeueLostTasks(SLICE)
      if (requeued.lost.length === 0) return
      announce(requeuedCommit(requeued, 'lost_worker'))
    }
  }

  private async giveUp(task: ExpiredTask): Promise<void> {
    const { submit, env } = this.options
    const lease = { token: task.token, leaseId: task.lease_id }
    await submit({
      runId: task.run_id,
      command: {
        kind: 'expire',
        taskId: task.id,
        lease,
        error: reasonOf(task),
        random: env.random(),
        final: task.why === 'lost',
      },
    })
  }
}

function reasonOf(task: ExpiredTask): Failure {
  return task.why === 'timeout'
    ? failure(
        'attempt_timeout',
        'the attempt took longer than its timeout and its worker did not end it',
        'timeout',
        true,
      )
    : failure('lost_worker', `the worker was lost ${task.losses + 1} times while it ran this task`, 'lost_worker')
}
