import type { TaskRow } from '../../db/load-runs.js'
import type { EnginePlan } from '../../domain/engine-plan.js'
import type { QueueLimits } from './queue-limits.js'

/**
 * Tasks of a run that are leased only together with slots: by limits of their own, or of their queue; of a map it is the
 * children that are. `rows`, where they were read under locks, add those that hold slots whatever this process knows of
 * their queue.
 */
export function limitedTasks(
  plan: EnginePlan,
  projectId: string,
  queueLimits: QueueLimits,
  rows: readonly TaskRow[] = [],
): ReadonlySet<number> {
  const holding = rows.flatMap((row, index) => (row.holds_slots ? [index] : []))
  if (queueLimits.isEmpty && holding.length === 0) return plan.limitedTasks
  const queued = plan.tasks
    .filter(({ queue, child }) => queueLimits.has(projectId, child?.queue ?? queue))
    .map(({ index }) => index)
  return new Set([...plan.limitedTasks, ...queued, ...holding])
}
