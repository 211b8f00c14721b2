import type { Task } from '../api/types'
import { groupBy } from '../ui/group-by'

/** From when to when a task of a run took, also where the API names no start. Pure. */
export interface TaskSpan {
  from: number
  /** Undefined while it goes on. */
  to: number | undefined
}

export type TaskSpans = ReadonlyMap<string, TaskSpan>

type Needs = readonly { from: string; to: string }[]

const ms = (time: string | null | undefined): number | undefined => (time ? Date.parse(time) : undefined)

/** Begun, though nothing of it was given to a worker: it waits for a person, a signal, another run or its items, or did. */
const begunAlone = ({ status, reused }: Task): boolean =>
  status === 'waiting' || (!reused && (status === 'succeeded' || status === 'failed'))

/**
 * By key, of those that have begun. A map took from the first of its items that began to the last that ended. What waits
 * for a person, a signal or another run has no start of its own: it waits since its needs ended.
 */
export function spansOf(tasks: readonly Task[], needs: Needs, createdAt: string): TaskSpans {
  const groups = groupBy(tasks, ({ key }) => key)
  const needed = groupBy(needs, ({ to }) => to)
  const needsEnded = (key: string): number | undefined => {
    const ends = (needed.get(key) ?? [])
      .flatMap(({ from }) => groups.get(from) ?? [])
      .flatMap(({ index, finishedAt }) => (index === undefined ? (ms(finishedAt) ?? []) : []))
    return ends.length > 0 ? Math.max(...ends) : undefined
  }
  const spans = new Map<string, TaskSpan>()
  for (const [key, group] of groups) {
    const own = group.find(({ index }) => index === undefined) ?? group[0]
    if (!own) continue
    const begun = group.flatMap(({ startedAt }) => ms(startedAt) ?? [])
    const alone = begunAlone(own) ? (needsEnded(key) ?? Date.parse(createdAt)) : undefined
    const from = begun.length > 0 ? Math.min(...begun) : alone
    if (from === undefined) continue
    const ended = group.flatMap(({ finishedAt }) => ms(finishedAt) ?? [])
    spans.set(key, { from, to: own.finishedAt ? Math.max(from, ...ended) : undefined })
  }
  return spans
}

const iso = (at: number): string => new Date(at).toISOString()

/** What `Duration` takes: of an item of a map its own times. */
export function timesOf(task: Task, spans: TaskSpans): { from: string | undefined; to: string | undefined } {
  const span = task.index === undefined && !task.startedAt ? spans.get(task.key) : undefined
  if (!span) return { from: task.startedAt ?? undefined, to: task.finishedAt ?? undefined }
  return { from: iso(span.from), to: span.to === undefined ? undefined : iso(span.to) }
}
