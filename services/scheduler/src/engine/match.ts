import { isBlocked } from '../domain/limits/run-admission.js'
import { noPick, type Pick } from '../domain/queue.js'
import type { Call, Calls } from './calls.js'
import type { DecidedRun, Grant } from './decided-run.js'
import type { Environment } from './environment.js'
import type { ShardItem } from './shard-item.js'

export interface Reserved {
  readonly runId: string
  readonly index: number
  readonly call: Call
  readonly grant: Grant
}

export interface Unmatched extends Omit<DecidedRun, 'grants'> {}

/** Gives ready tasks to workers that already wait, most urgent first, as far as nothing in the queue should go before them. */
export function matchReady(
  calls: Calls,
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
    const call = calls.take(task, run?.items.find(({ report }) => report?.call)?.report?.call)
    if (!call || !run) continue
    const grant = { sessionId: call.session.id, workerId: call.session.workerId, leaseId: env.newSecretId() }
    grants[position]?.set(index, grant)
    reserved.push({ runId: run.before.id, index, call, grant })
  }
  return { runs: runs.map((run, position) => ({ ...run, grants: grants[position] ?? new Map() })), reserved }
}

/** How many of the results that a call brought are among these. */
export function reportsByCall(items: readonly ShardItem[]): Map<Call, number> {
  const counts = new Map<Call, number>()
  for (const { report } of items) if (report?.call) counts.set(report.call, (counts.get(report.call) ?? 0) + 1)
  return counts
}

export interface QueuePoll {
  readonly call: Call
  readonly version: number
  readonly pick: Pick
}

/** At most one call of a batch looks into the queue in the batch's own statement: the first that may find something. */
export function pollQueue(calls: Calls, items: readonly ShardItem[]): QueuePoll | null {
  for (const { report } of items) {
    const call = report?.call
    if (!call?.open || call.slots === 0 || calls.isDrained(call.session) || !calls.mayLease(call.session)) continue
    // A reply carries no limited task; nor may it carry what should go after one.
    if (calls.mayHaveLimited(call.session)) continue
    return beginPoll(calls, call)
  }
  return null
}

/** Takes all of a call's slots and asks the queue for as many tasks. */
export function beginPoll(calls: Calls, call: Call): QueuePoll {
  const { session, slots } = call
  call.slots = 0
  const { id: sessionId, workerId, projectId, executors, queues } = session
  const standings = calls.share.standings()
  const pick = { sessionId, workerId, projectId, executors, queues, max: slots, standings }
  return { call, version: calls.beginPoll(session), pick }
}

export const pickOf = (look: QueuePoll | null): Pick => look?.pick ?? noPick

/** What a look saw of the queue, beside what it took. */
export interface Saw {
  /** There was less than was asked for. */
  readonly short: boolean
  /** There may be limited tasks. */
  readonly limited: boolean
}

export function endPoll(calls: Calls, look: QueuePoll, found: number, saw?: Saw): void {
  calls.looked(look.call.session, look.version, saw ?? { short: found < look.pick.max, limited: false })
  calls.giveBack(look.call, look.pick.max - found)
}
