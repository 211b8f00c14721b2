import { retryable } from '@millrace/postgres'
import type { LeasedRow } from '../db/lease-fragment.js'
import type { Pick } from '../domain/queue.js'
import type { Call, SessionFacts } from './calls.js'
import { deliverLeases } from './deliver-leases.js'
import type { EngineContext } from './engine-context.js'
import type { Environment } from './environment.js'
import type { Lease } from './lease.js'
import { Loop, SAFETY_POLL_MS } from './loop.js'
import { beginPoll, endPoll, type Saw } from './match.js'
import { leaseMetrics } from './metrics.js'

/** Looks of one call into a queue that holds little but what lacks a slot; the next poll goes on. */
const MAX_ROUNDS = 20

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
    const { calls } = this.engine
    const call = calls.open(session, max)
    try {
      if (!calls.hasPending(session) && !calls.isDrained(session) && calls.mayLease(session)) await this.look(call)
      if (!calls.hasPending(session)) await waitForPending(this.engine.env, call, waitMs, signals)
    } catch (error) {
      if (!retryable(error)) throw error
    }
    return this.answer(call)
  }

  /** Ends a call with whatever its session is owed. */
  answer(call: Call): Lease[] {
    const leases = this.engine.calls.close(call)
    if (leases.length > 0) leaseMetrics.granted.inc(leases.length)
    return leases
  }

  protected override async turn(): Promise<void> {
    for (const call of this.engine.calls.idle()) {
      if (call.open && call.slots > 0 && this.engine.calls.mayLease(call.session)) await this.look(call)
    }
  }

  /** Tasks stand in the queue that another replica may have put there or let go on; what this one did it knows. */
  found(limited: boolean): void {
    const { calls, env } = this.engine
    // A little less: timers end early and late.
    if (env.now() - this.foundAt < this.pollMs * 0.9) return
    this.foundAt = env.now()
    if (limited) calls.queuedLimited()
    this.poke()
  }

  private async look(call: Call): Promise<void> {
    const { calls } = this.engine
    const look = beginPoll(calls, call)
    let found: Found = { leased: [], saw: { short: false, limited: true } }
    try {
      found = calls.mayHaveLimited(call.session) ? await this.leaseLimited(look.pick) : await this.leasePlain(look.pick)
      await deliverLeases(this.engine, call, found.leased)
    } finally {
      endPoll(calls, look, found.leased.length, found.saw)
    }
    if (found.leased.length > 0) calls.wakeSession(call.session.id)
  }

  private async leasePlain(pick: Pick): Promise<Found> {
    const leased = await this.engine.store.leaseTasks(pick)
    return { leased, saw: { short: leased.length < pick.max, limited: false } }
  }

  /** Goes on until the worker has what it asked for or the queue has nothing more for it: what is parked makes room. */
  private async leaseLimited(pick: Pick): Promise<Found> {
    const { store, announce } = this.engine
    const leased: LeasedRow[] = []
    let limited = true
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const rest = { ...pick, max: pick.max - leased.length }
      const found = await store.leaseLimited(rest)
      leased.push(...found.leased)
      const limitsRefused = found.parked.map(({ scope }) => scope)
      announce({ parked: found.parked, counts: { limitsTaken: found.taken, limitsRefused } })
      if (found.exhausted) return { leased, saw: { short: leased.length < pick.max, limited: false } }
      limited = found.anyLimited
      if (leased.length >= pick.max) break
    }
    return { leased, saw: { short: false, limited } }
  }
}

function waitForPending(env: Environment, call: Call, waitMs: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      callOff()
      call.wake = null
      for (const signal of signals) signal.removeEventListener('abort', done)
      resolve()
    }
    const callOff = env.after(waitMs, done)
    call.wake = done
    for (const signal of signals) {
      if (signal.aborted) return done()
      signal.addEventListener('abort', done, { once: true })
    }
  })
}
