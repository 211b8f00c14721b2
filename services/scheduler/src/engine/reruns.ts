import { downstreamOf, type ReusedTask, undoneIn } from '../domain/reuse.js'
import type { Outputs } from './outputs.js'
import type { Plans } from './plans.js'
import type { ItemCopy, NewRunFacts } from './shard-item.js'
import type { RunReads } from './store.js'

/**
 * What a rerun takes over: the tasks that succeeded in the other run, have the same key, and are not downstream of where
 * it begins again, nor of what was undone. The other run has ended.
 */
export async function findReused(
  store: RunReads,
  plans: Plans,
  outputs: Outputs | undefined,
  newRun: NewRunFacts,
): Promise<Reused> {
  const source = newRun.origin?.rerun
  if (!source || source.from === '') return nothing
  const [other] = await store.loadRunRows([source.runId])
  if (!other || other.project_id !== newRun.projectId) return nothing
  const [plan, otherPlan] = await Promise.all([plans.get(newRun.versionId), plans.get(other.version_id)])
  const rows = await store.loadTaskRows([source.runId])
  const again = downstreamOf(plan, [source.from, ...undoneIn(otherPlan, rows)])
  const found = rows.flatMap(({ id: taskId, ordinal, status, attempt, max_attempts: maxAttempts }): ReusedTask[] => {
    const index = plan.byKey.get(otherPlan.tasks[ordinal]?.key ?? '')
    if (status !== 'succeeded' || index === undefined || again.has(index)) return []
    return [{ index, taskId, attempt, maxAttempts }]
  })
  const named = found.filter(({ index }) => plan.namedOutputs.has(index)).map(({ taskId }) => taskId)
  const payloads = await store.loadPayloads(named)
  const failures = await outputs?.fill(payloads)
  for (const failure of failures?.values() ?? []) throw failure
  const reused = found.map((task) => {
    const payload = payloads.get(task.taskId)
    return { ...task, output: payload?.output ?? undefined, large: (payload?.artifact_id ?? null) !== null }
  })
  const ordinal = plan.byKey.get(source.from)
  const fromOrdinal = otherPlan.byKey.get(source.from)
  if (source.index < 0 || ordinal === undefined || fromOrdinal === undefined) return { reused }
  return { reused, itemCopy: { ordinal, fromRunId: source.runId, fromOrdinal, exceptIndex: source.index } }
}

export interface Reused {
  readonly reused: readonly ReusedTask[]
  /** Set where one item of a map is to run again. */
  readonly itemCopy?: ItemCopy
}

const nothing: Reused = { reused: [] }

/** The new run with what it takes over written down. */
export function withReused(newRun: NewRunFacts, { reused, itemCopy }: Reused): NewRunFacts {
  const { origin } = newRun
  if (!origin?.rerun) return newRun
  const copying = itemCopy ? { itemCopy } : {}
  return {
    ...newRun,
    ...copying,
    origin: { ...origin, rerun: { ...origin.rerun, reused: reused.map(({ index }) => index) } },
  }
}
