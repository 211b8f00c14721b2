import { isBlocked } from '../domain/limits/run-admission.js'
import { type DequeueRequest, noDequeue } from '../domain/queue.js'
import type { DecidedRun, Grant } from './decided-run.js'
import type { Environment } from './environment.js'
import type { LongPoll, LongPolls } from './long-polls.js'
import type { ShardItem } from './shard-item.js'

export interface Reserved {
  readonly runId: string
  readonly index: number
  readonly poll: LongPoll
  readonly grant: Grant
}

export interface Unmatched extends Omit<DecidedRun, 'grants'> {}

/** Gives ready tasks to workers that already wait, most urgent first, as far as nothing in the queue should go before them. */
export function matchReady(
  polls: LongPolls,
  runs: readonly Unmatched[],
  env: Environment,
): { runs: DecidedRun[]; reserved: Reserved[] } {
  const ready = runs.flatMap((run, position) =>
    (isBlocked(run.decision.state.status) ? [] : run.decision.effects.tasks)
      .filter((change) => change.status === 'queued' && !run.limited.has(change.index))
      .map((change) => {
        const plan = run.plan.tasks[change.index]
        const { projectId, priority } = run.decision.state
        return {
          position,
          index: change.index,
          priority: plan?.priority ?? priority,
          task: { projectId, queue: plan?.queue ?? '', uses: plan?.uses ?? '' },
        }
      }),
  )
  ready.sort((a, b) => b.priority - a.priority)
  const grants = runs.map(() => new Map<number, Grant>())
  const reserved: Reserved[] = []
  for (const { position, index, task } of ready) {
    const run = runs[position]
    const poll = polls.take(task, run?.items.find(({ report }) => report?.poll)?.report?.poll)
    if (!poll || !run) continue
    const grant = { sessionId: poll.session.id, workerId: poll.session.workerId, leaseId: env.newSecretId() }
    grants[position]?.set(index, grant)
    reserved.push({ runId: run.before.id, index, poll, grant })
  }
  return { runs: runs.map((run, position) => ({ ...run, grants: grants[position] ?? new Map() })), reserved }
}

/** How many of the results that a poll brought are among these. */
export function reportsByPoll(items: readonly ShardItem[]): Map<LongPoll, number> {
  const counts = new Map<LongPoll, number>()
  for (const { report } of items) if (report?.poll) counts.set(report.poll, (counts.get(report.poll) ?? 0) + 1)
  return counts
}

export interface QueuePoll {
  readonly poll: LongPoll
  readonly version: number
  readonly dequeue: DequeueRequest
}

/** At most one poll of a batch looks into the queue in the batch's own statement: the first that may find something. */
export function pollQueue(polls: LongPolls, items: readonly ShardItem[]): QueuePoll | null {
  for (const { report } of items) {
    const poll = report?.poll
    if (!poll?.open || poll.slots === 0 || polls.isDrained(poll.session) || !polls.mayLease(poll.session)) continue
    // A reply carries no limited task; nor may it carry what should go after one.
    if (polls.mayHaveLimited(poll.session)) continue
    return beginPoll(polls, poll)
  }
  return null
}

/** Takes all of a poll's slots and asks the queue for as many tasks. */
export function beginPoll(polls: LongPolls, poll: LongPoll): QueuePoll {
  const { session, slots } = poll
  poll.slots = 0
  const { id: sessionId, workerId, projectId, executors, queues } = session
  const virtualTimes = polls.share.virtualTimes()
  const dequeue = { sessionId, workerId, projectId, executors, queues, max: slots, virtualTimes }
  return { poll, version: polls.beginPoll(session), dequeue }
}

export const dequeueOf = (queuePoll: QueuePoll | null): DequeueRequest => queuePoll?.dequeue ?? noDequeue

/** What a poll saw of the queue, beside what it took. */
export interface Saw {
  /** There was less than was asked for. */
  readonly short: boolean
  /** There may be limited tasks. */
  readonly limited: boolean
}

export function endPoll(polls: LongPolls, queuePoll: QueuePoll, found: number, saw?: Saw): void {
  polls.looked(
    queuePoll.poll.session,
    queuePoll.version,
    saw ?? { short: found < queuePoll.dequeue.max, limited: false },
  )
  polls.giveBack(queuePoll.poll, queuePoll.dequeue.max - found)
}
