import { parseDuration, type RetryDefinition, retryPolicy } from '@millrace/definition'
import type { EnginePlan, EnginePlanTask } from './engine-plan.js'

/** What tasks of a queue get that say nothing themselves. */
export interface QueueDefaults {
  readonly retry?: RetryDefinition
  readonly timeout?: string
}

/** Tasks that the engine holds itself never stand in a queue: its defaults would only end an approval too early. */
const heldByEngine: ReadonlySet<string> = new Set(['approval', 'signal', 'sleep', 'workflow', 'map'])

/** The defaults that a run is created with, as JSON text; null when none of its queues has any. */
export function defaultsForNewRun(
  plan: EnginePlan,
  defaultsOf: (queue: string) => QueueDefaults | null | undefined,
): string | null {
  const found: Record<string, QueueDefaults> = {}
  for (const queue of new Set(plan.tasks.flatMap((task) => [task.queue, ...(task.child ? [task.child.queue] : [])]))) {
    const defaults = defaultsOf(queue)
    if (defaults) found[queue] = defaults
  }
  return Object.keys(found).length === 0 ? null : JSON.stringify(found)
}

/** Task before workflow before queue before platform, for each field of `retry` by itself. */
export function withQueueDefaults(plan: EnginePlan, defaultsJson: string): EnginePlan {
  const defaults = new Map(Object.entries(JSON.parse(defaultsJson) as Record<string, QueueDefaults>))
  const tasks = plan.tasks.map((task) => ({
    ...filled(task, defaults),
    ...(task.child ? { child: filled(task.child, defaults) } : {}),
  }))
  return { ...plan, tasks }
}

type Fillable = Pick<EnginePlanTask, 'uses' | 'queue' | 'retry' | 'ownRetry' | 'timeoutMs'>

function filled<T extends Fillable>(task: T, all: ReadonlyMap<string, QueueDefaults>): T {
  const defaults = all.get(task.queue)
  if (!defaults || heldByEngine.has(task.uses)) return task
  const timeoutMs = task.timeoutMs ?? (defaults.timeout === undefined ? undefined : parseDuration(defaults.timeout))
  return {
    ...task,
    retry: retryPolicy({ ...defaults.retry, ...task.ownRetry }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }
}
