import { retryable } from '@millrace/postgres'
import type { LeasedRow } from '../db/lease-fragment.js'
import type { DequeueRequest } from '../domain/queue.js'
import { deliverLeases } from './deliver-leases.js'
import type { EngineContext } from './engine-context.js'
import type { Environment } from './environment.js'
import type { Lease } from './lease.js'
import type { LongPoll, SessionFacts } from './long-polls.js'
import { Loop, SAFETY_POLL_MS } from './loop.js'
import { beginPoll, endPoll, type Saw } from './match.js'
import { leaseMetrics } from './metrics.js'

/** Looks of one poll into a queue that holds little but what lacks a slot; the next poll goes on. */
const MAX_TRIES = 20

interface Found {
  readonly leased: readonly LeasedRow[]
  readonly saw: Saw
}

/** Hands out leases to workers that wait for them. */
export class Dispatcher extends Loop {
  private foundAt = Number.NEGATIVE_INFINITY

  /** What another replica queued is seen at the pace of `pollMs`. */
  constructor(
    private readonly engine: EngineContext,
    private readonly pollMs: number,
  ) {
    super({ name: 'dispatcher', everyMs: Math.max(pollMs, SAFETY_POLL_MS), logger: engine.logger, env: engine.env })
  }

  /** Waits for work until the time is over or the caller goes away. */
  async lease(session: SessionFacts, max: number, waitMs: number, signals: readonly AbortSignal[]): Promise<Lease[]> {
    const { polls } = this.engine
    const poll = polls.open(session, max)
    try {
      if (!polls.hasPending(session) && !polls.isDrained(session) && polls.mayLease(session)) await this.pollQueue(poll)
      if (!polls.hasPending(session)) await waitForPending(this.engine.env, poll, waitMs, signals)
    } catch (error) {
      if (!retryable(error)) throw error
    }
    return this.answer(poll)
  }

  /** Ends a poll with whatever its session is owed. */
  answer(poll: LongPoll): Lease[] {
    const leases = this.engine.polls.close(poll)
    if (leases.length > 0) leaseMetrics.granted.inc(leases.length)
    return leases
  }

  protected override async turn(): Promise<void> {
    for (const poll of this.engine.polls.idle()) {
      if (poll.open && poll.slots > 0 && this.engine.polls.mayLease(poll.session)) await this.pollQueue(poll)
    }
  }

  /** Tasks stand in the queue that another replica may have put there or let go on; what this one did it knows. */
  found(limited: boolean): void {
    const { polls, env } = this.engine
    // A little less: timers end early and late.
    if (env.now() - this.foundAt < this.pollMs * 0.9) return
    this.foundAt = env.now()
    if (limited) polls.queuedLimited()
    this.poke()
  }

  private async pollQueue(poll: LongPoll): Promise<void> {
    const { polls } = this.engine
    const queuePoll = beginPoll(polls, poll)
    let found: Found = { leased: [], saw: { short: false, limited: true } }
    try {
      found = polls.mayHaveLimited(poll.session)
        ? await this.leaseLimited(queuePoll.dequeue)
        : await this.leasePlain(queuePoll.dequeue)
      await deliverLeases(this.engine, poll, found.leased)
    } finally {
      endPoll(polls, queuePoll, found.leased.length, found.saw)
    }
    if (found.leased.length > 0) polls.wakeSession(poll.session.id)
  }

  private async leasePlain(dequeue: DequeueRequest): Promise<Found> {
    const leased = await this.engine.store.leaseTasks(dequeue)
    return { leased, saw: { short: leased.length < dequeue.max, limited: false } }
  }

  /** Goes on until the worker has what it asked for or the queue has nothing more for it: what is parked makes room. */
  private async leaseLimited(dequeue: DequeueRequest): Promise<Found> {
    const { store, announce } = this.engine
    const leased: LeasedRow[] = []
    let limited = true
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const rest = { ...dequeue, max: dequeue.max - leased.length }
      const found = await store.leaseLimited(rest)
      leased.push(...found.leased)
      const limitsRefused = found.parked.map(({ scope }) => scope)
      announce({ parked: found.parked, counts: { limitsTaken: found.taken, limitsRefused } })
      if (found.exhausted) return { leased, saw: { short: leased.length < dequeue.max, limited: false } }
      limited = found.anyLimited
      if (leased.length >= dequeue.max) break
    }
    return { leased, saw: { short: false, limited } }
  }
}

function waitForPending(
  env: Environment,
  poll: LongPoll,
  waitMs: number,
  signals: readonly AbortSignal[],
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      callOff()
      poll.wake = null
      for (const signal of signals) signal.removeEventListener('abort', done)
      resolve()
    }
    const callOff = env.after(waitMs, done)
    poll.wake = done
    for (const signal of signals) {
      if (signal.aborted) return done()
      signal.addEventListener('abort', done, { once: true })
    }
  })
}
