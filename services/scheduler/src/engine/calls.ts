import { accepts, type ReadyTask, type Takes } from './dispatch-rules.js'
import type { Environment } from './environment.js'
import { FairShare, type QueueShare } from './fair-share.js'
import type { Lease } from './lease.js'

/** A live worker, as far as matching needs it. */
export interface SessionFacts extends Takes {
  readonly id: string
  readonly workerId: string
}

/** What is decided in memory obeys pauses, weights and profiles too. */
export interface Rules {
  mayLease(sessionId: string): boolean
  mayMatch(projectId: string, queue: string): boolean
  /** What the queue counts as within its project; undefined where no queue of the project has a weight. */
  shareOf(projectId: string, queue: string): QueueShare | undefined
}

const noRules: Rules = { mayLease: () => true, mayMatch: () => true, shareOf: () => undefined }

/** An open request of a worker for leases: LeaseTasks while it waits, or ReportResults while it is answered. */
export interface Call {
  readonly session: SessionFacts
  /** Leases that may still be promised to this call. */
  slots: number
  open: boolean
  /** Results that the call brought and that are not decided yet: it is answered when there are none. */
  undecided: number
  /** Set while the worker waits; called when its session has pending leases. */
  wake: (() => void) | null
}

/** Workers that ask for the same things share one answer to "is there anything in the queue for me?". */
interface Demand {
  /** The last look at the queue came back short, and nothing was queued since. */
  drained: boolean
  /** A limited task may be ready: only the statement that takes slots may look, so that the order holds. */
  limited: boolean
  /** Raised whenever something is queued, so that a look that began earlier cannot call the queue drained. */
  version: number
}

function reserve(call: Call): Call {
  call.slots -= 1
  return call
}

const demandKey = (session: SessionFacts): string =>
  [session.projectId ?? '*', [...session.executors].sort().join(','), [...session.queues].sort().join(',')].join('|')

/**
 * The open calls of workers and the leases on their way to them. A shard takes a slot before it writes and gives it back
 * if the write came to nothing; a lease that was written waits among its session's pending leases for whichever call is answered
 * next, so that none is ever promised to a call that has gone.
 */
export class Calls {
  readonly share: FairShare
  private readonly waiting = new Set<Call>()
  private readonly demands = new Map<string, Demand>()
  private readonly pendingLeases = new Map<string, Lease[]>()

  constructor(
    env: Environment,
    private readonly rules: Rules = noRules,
  ) {
    this.share = new FairShare(() => env.now())
  }

  open(session: SessionFacts, slots: number, undecided = 0): Call {
    const call: Call = { session, slots, open: true, undecided, wake: null }
    this.waiting.add(call)
    return call
  }

  /** Ends a call and hands over what its session is owed. */
  close(call: Call): Lease[] {
    this.end(call)
    const leases = this.pendingLeases.get(call.session.id) ?? []
    this.pendingLeases.delete(call.session.id)
    return leases
  }

  /** Ends a call without an answer: what its session is owed goes to another one. */
  abandon(call: Call): void {
    this.end(call)
    if (this.hasPending(call.session)) this.wakeSession(call.session.id)
  }

  hasPending(session: SessionFacts): boolean {
    return (this.pendingLeases.get(session.id)?.length ?? 0) > 0
  }

  /**
   * A call for this task, if the queue is known to hold nothing that should go first. The call that reported what made the
   * task ready has precedence: it is answered anyway, and a waiting one would cost the worker another request.
   */
  take(task: ReadyTask, reporting: Call | null = null): Call | null {
    if (this.waiting.size === 0 || !this.rules.mayMatch(task.projectId, task.queue)) return null
    if (reporting !== null && this.mayTake(reporting, task)) return reserve(reporting)
    for (const call of this.waiting) if (this.mayTake(call, task)) return reserve(call)
    return null
  }

  giveBack(call: Call, slots = 1): void {
    if (call.open) call.slots += slots
  }

  deliver(call: Call, lease: Lease): void {
    this.share.took(lease.projectId, this.rules.shareOf(lease.projectId, lease.queue))
    const pending = this.pendingLeases.get(call.session.id)
    if (pending) pending.push(lease)
    else this.pendingLeases.set(call.session.id, [lease])
  }

  /** What an answer could not carry goes first in the session's next one. */
  putBack(sessionId: string, leases: readonly Lease[]): void {
    this.pendingLeases.set(sessionId, [...leases, ...(this.pendingLeases.get(sessionId) ?? [])])
    this.wakeSession(sessionId)
  }

  /** Something was delivered for these calls by a batch. One that is answered right after it needs no waking. */
  wakeFor(calls: Iterable<Call>, decided: ReadonlyMap<Call, number>): void {
    const sessions = new Set<string>()
    for (const call of calls) {
      const answeredNow = call.open && call.undecided > 0 && call.undecided === decided.get(call)
      if (!answeredNow) sessions.add(call.session.id)
    }
    for (const sessionId of sessions) this.wakeSession(sessionId)
  }

  /** Wakes the calls of a session that has mail. */
  wakeSession(sessionId: string): void {
    for (const call of this.waiting) if (call.session.id === sessionId) call.wake?.()
  }

  /** Begins a look at the queue for this session; tell its outcome to `looked`. */
  beginPoll(session: SessionFacts): number {
    return this.demand(session).version
  }

  looked(session: SessionFacts, version: number, saw: { short: boolean; limited: boolean }): void {
    const demand = this.demand(session)
    const same = demand.version === version
    demand.drained = saw.short && same
    if (same) demand.limited = saw.limited
  }

  mayHaveLimited(session: SessionFacts): boolean {
    return this.demand(session).limited
  }

  isDrained(session: SessionFacts): boolean {
    return this.demand(session).drained
  }

  /** Something was queued; the calls it could go to. */
  queued(): void {
    for (const demand of this.demands.values()) {
      demand.drained = false
      demand.version += 1
    }
  }

  /** Whether this session may be given anything now. */
  mayLease(session: SessionFacts): boolean {
    return this.rules.mayLease(session.id)
  }

  /** A limited task became ready. */
  queuedLimited(): void {
    this.queued()
    for (const demand of this.demands.values()) demand.limited = true
  }

  /** Calls that wait with a free slot. */
  idle(): Call[] {
    return [...this.waiting].filter((call) => call.slots > 0 && call.wake !== null)
  }

  /** These sessions have ended: what was on its way to them is not theirs any more, and their open calls get nothing. */
  forget(sessionIds: ReadonlySet<string>): void {
    for (const id of sessionIds) this.pendingLeases.delete(id)
    for (const call of this.waiting) {
      if (!sessionIds.has(call.session.id)) continue
      call.slots = 0
      call.wake?.()
    }
  }

  private end(call: Call): void {
    call.open = false
    call.wake = null
    this.waiting.delete(call)
  }

  private mayTake(call: Call, task: ReadyTask): boolean {
    return (
      call.open &&
      call.slots > 0 &&
      this.demand(call.session).drained &&
      accepts(call.session, task) &&
      this.rules.mayLease(call.session.id)
    )
  }

  private demand(session: SessionFacts): Demand {
    const key = demandKey(session)
    let demand = this.demands.get(key)
    if (!demand) {
      demand = { drained: false, limited: true, version: 0 }
      this.demands.set(key, demand)
    }
    return demand
  }
}
