import { retryable } from '@millrace/postgres'
import type { Call, SessionFacts } from './calls.js'
import { deliverLeases } from './deliver-leases.js'
import type { EngineContext } from './engine-context.js'
import type { Environment } from './environment.js'
import type { Lease } from './lease.js'
import { Loop } from './loop.js'
import { beginLook, endLook } from './match.js'
import { leaseMetrics } from './metrics.js'

/** How often waiting workers look into the queue without having been told: what another replica queued is seen so. */
const POLL_MS = 250

/** Hands out leases to workers that wait for them. */
export class Dispatcher {
  private readonly loop: Loop

  constructor(private readonly engine: EngineContext) {
    this.loop = new Loop('dispatcher', POLL_MS, () => this.serveHungry(), engine.logger, engine.env)
  }

  start(): void {
    this.loop.start()
  }

  /** Something may be in the queue for those who wait. */
  poke(): void {
    this.loop.poke()
  }

  stop(): Promise<void> {
    return this.loop.stop()
  }

  /** Waits for work until the time is over or the caller goes away. */
  async lease(session: SessionFacts, max: number, waitMs: number, signals: readonly AbortSignal[]): Promise<Lease[]> {
    const { calls } = this.engine
    const call = calls.open(session, max)
    try {
      if (!calls.hasMail(session) && !calls.isDrained(session) && calls.mayLease(session)) await this.look(call)
      if (!calls.hasMail(session)) await waitForMail(this.engine.env, call, waitMs, signals)
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

  private async serveHungry(): Promise<void> {
    for (const call of this.engine.calls.hungry()) {
      if (call.open && call.slots > 0 && this.engine.calls.mayLease(call.session)) await this.look(call)
    }
  }

  private async look(call: Call): Promise<void> {
    const { calls, store, after } = this.engine
    const look = beginLook(calls, call)
    let found = 0
    try {
      const leased = await store.leaseTasks(look.pick)
      found = leased.length
      await deliverLeases(this.engine, call, leased)
      if (found > 0) after.told()
    } finally {
      endLook(calls, look, found)
    }
    if (found > 0) calls.wakeSession(call.session.id)
  }
}

function waitForMail(env: Environment, call: Call, waitMs: number, signals: readonly AbortSignal[]): Promise<void> {
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
