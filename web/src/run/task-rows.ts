import type { Task } from '../api/types'
import type { ItemCounts } from '../graph/graph-model'
import { groupBy } from '../ui/group-by'
import { type TaskSpans, timesOf } from './task-spans'

/** The list of a run's tasks: which of them, in which order. Pure. */

export const taskSorts = [
  { id: 'defined', label: 'In order' },
  { id: 'status', label: 'By status' },
  { id: 'longest', label: 'Longest first' },
  { id: 'latest', label: 'Last begun first' },
] as const
export type TaskSort = (typeof taskSorts)[number]['id']

/** What needs a person comes first. */
const statusOrder = [
  'failed',
  'waiting',
  'running',
  'delayed',
  'queued',
  'pending',
  'cancelled',
  'skipped',
  'succeeded',
]

export interface TaskRowsOptions {
  failedOnly: boolean
  sort: TaskSort
  spans: TaskSpans
  now: number
}

export function rowsOf(tasks: readonly Task[], { failedOnly, sort, spans, now }: TaskRowsOptions): readonly Task[] {
  const shown = failedOnly ? tasks.filter(({ status }) => status === 'failed') : tasks
  if (sort === 'defined') return shown
  const ranked = shown.map((task) => ({ task, rank: rankOf(task, sort, spans, now) }))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ task }) => task)
}

/** The least comes first; what has not begun is last. */
function rankOf(task: Task, sort: Exclude<TaskSort, 'defined'>, spans: TaskSpans, now: number): number {
  if (sort === 'status') return statusOrder.indexOf(task.status)
  const { from, to } = timesOf(task, spans)
  if (from === undefined) return Number.POSITIVE_INFINITY
  return sort === 'latest' ? -Date.parse(from) : Date.parse(from) - (to === undefined ? now : Date.parse(to))
}

/**
 * How many there are, with all items of maps, also those that the run does not carry: of each map it has `mostCarried`.
 * Undefined until they were counted.
 */
export function countTasks(
  tasks: readonly Task[],
  items: ReadonlyMap<string, ItemCounts>,
  mostCarried: number,
): number | undefined {
  const carried = groupBy(tasks, ({ key }) => key)
  const unread = [...carried].some(([key, group]) => group.length > mostCarried && !items.has(key))
  if (unread) return undefined
  const known = [...items.values()].flatMap((counts) => Object.values(counts)).reduce((sum, count) => sum + count, 0)
  return known + tasks.filter(({ key, index }) => index === undefined || !items.has(key)).length
}

/** The run's tasks with the items that were read besides, each behind the last of its map. */
export function withItems(tasks: readonly Task[], read: ReadonlyMap<string, readonly Task[]>): readonly Task[] {
  if (read.size === 0) return tasks
  const carried = new Set(tasks.map(({ key, index }) => `${key}[${index ?? ''}]`))
  const last = new Map(tasks.map(({ key }, at) => [key, at]))
  return tasks.flatMap((task, at) => {
    const more = last.get(task.key) === at ? (read.get(task.key) ?? []) : []
    return [task, ...more.filter(({ key, index }) => !carried.has(`${key}[${index ?? ''}]`))]
  })
}
