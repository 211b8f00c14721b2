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
export interface LongPoll {
  readonly session: SessionFacts
  /** Leases that may still be promised to this poll. */
  slots: number
  open: boolean
  /** Results that the poll brought and that are not decided yet: it is answered when there are none. */
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

function reserve(poll: LongPoll): LongPoll {
  poll.slots -= 1
  return poll
}

const demandKey = (session: SessionFacts): string =>
  [session.projectId ?? '*', [...session.executors].sort().join(','), [...session.queues].sort().join(',')].join('|')

/**
 * The open polls of workers and the leases on their way to them. A shard takes a slot before it writes and gives it back
 * if the write came to nothing; a lease that was written waits among its session's pending leases for whichever poll is answered
 * next, so that none is ever promised to a poll that has gone.
 */
export class LongPolls {
  readonly share: FairShare
  private readonly waiting = new Set<LongPoll>()
  private readonly demands = new Map<string, Demand>()
  private readonly pendingLeases = new Map<string, Lease[]>()

  constructor(
    env: Environment,
    private readonly rules: Rules = noRules,
  ) {
    this.share = new FairShare(() => env.now())
  }

  open(session: SessionFacts, slots: number, undecided = 0): LongPoll {
    const poll: LongPoll = { session, slots, open: true, undecided, wake: null }
    this.waiting.add(poll)
    return poll
  }

  /** Ends a poll and hands over what its session is owed. */
  close(poll: LongPoll): Lease[] {
    this.end(poll)
    const leases = this.pendingLeases.get(poll.session.id) ?? []
    this.pendingLeases.delete(poll.session.id)
    return leases
  }

  /** Ends a poll without an answer: what its session is owed goes to another one. */
  abandon(poll: LongPoll): void {
    this.end(poll)
    if (this.hasPending(poll.session)) this.wakeSession(poll.session.id)
  }

  hasPending(session: SessionFacts): boolean {
    return (this.pendingLeases.get(session.id)?.length ?? 0) > 0
  }

  /**
   * A poll for this task, if the queue is known to hold nothing that should go first. The poll that reported what made the
   * task ready has precedence: it is answered anyway, and a waiting one would cost the worker another request.
   */
  take(task: ReadyTask, reporting: LongPoll | null = null): LongPoll | null {
    if (this.waiting.size === 0 || !this.rules.mayMatch(task.projectId, task.queue)) return null
    if (reporting !== null && this.mayTake(reporting, task)) return reserve(reporting)
    for (const poll of this.waiting) if (this.mayTake(poll, task)) return reserve(poll)
    return null
  }

  giveBack(poll: LongPoll, slots = 1): void {
    if (poll.open) poll.slots += slots
  }

  deliver(poll: LongPoll, lease: Lease): void {
    this.share.took(lease.projectId, this.rules.shareOf(lease.projectId, lease.queue))
    const pending = this.pendingLeases.get(poll.session.id)
    if (pending) pending.push(lease)
    else this.pendingLeases.set(poll.session.id, [lease])
  }

  /** A lease came back unused: its project is not to have had its turn by it. */
  returned(projectId: string, queue: string): void {
    this.share.returned(projectId, this.rules.shareOf(projectId, queue))
  }

  /** What an answer could not carry goes first in the session's next one. */
  putBack(sessionId: string, leases: readonly Lease[]): void {
    this.pendingLeases.set(sessionId, [...leases, ...(this.pendingLeases.get(sessionId) ?? [])])
    this.wakeSession(sessionId)
  }

  /** Something was delivered for these polls by a batch. One that is answered right after it needs no waking. */
  wakeFor(polls: Iterable<LongPoll>, decided: ReadonlyMap<LongPoll, number>): void {
    const sessions = new Set<string>()
    for (const poll of polls) {
      const answeredNow = poll.open && poll.undecided > 0 && poll.undecided === decided.get(poll)
      if (!answeredNow) sessions.add(poll.session.id)
    }
    for (const sessionId of sessions) this.wakeSession(sessionId)
  }

  /** Wakes the polls of a session that has pending leases. */
  wakeSession(sessionId: string): void {
    for (const poll of this.waiting) if (poll.session.id === sessionId) poll.wake?.()
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

  /** Something was queued; the polls it could go to. */
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

  /** Polls that wait with a free slot. */
  idle(): LongPoll[] {
    return [...this.waiting].filter((poll) => poll.slots > 0 && poll.wake !== null)
  }

  /** These sessions have ended: what was on its way to them is not theirs any more, and their open polls get nothing. */
  forget(sessionIds: ReadonlySet<string>): void {
    for (const id of sessionIds) this.pendingLeases.delete(id)
    for (const poll of this.waiting) {
      if (!sessionIds.has(poll.session.id)) continue
      poll.slots = 0
      poll.wake?.()
    }
  }

  private end(poll: LongPoll): void {
    poll.open = false
    poll.wake = null
    this.waiting.delete(poll)
  }

  private mayTake(poll: LongPoll, task: ReadyTask): boolean {
    return (
      poll.open &&
      poll.slots > 0 &&
      this.demand(poll.session).drained &&
      accepts(poll.session, task) &&
      this.rules.mayLease(poll.session.id)
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
