import type { Task } from '../api/types'
import { groupBy } from '../ui/group-by'
import { spansOf } from './task-spans'

/** A run's tasks as bars over time. Pure. */

export interface Bar {
  key: string
  status: string
  /** Fractions of the shown span. */
  queuedFrom: number
  from: number
  to: number
  tookMs: number | undefined
  items: number
}

export interface TimelineModel {
  bars: readonly Bar[]
  startMs: number
  spanMs: number
}

const ms = (time: string | null | undefined): number | undefined => (time ? Date.parse(time) : undefined)

type Needs = readonly { from: string; to: string }[]

/** The items of a map are drawn as its one bar: from the first that began to the last that ended. */
export function buildTimeline(
  tasks: readonly Task[],
  createdAt: string,
  endAt: number,
  needs: Needs = [],
): TimelineModel {
  const groups = groupBy(tasks, ({ key }) => key)
  const startMs = Date.parse(createdAt)
  const spanMs = Math.max(1, endAt - startMs)
  const place = (at: number) => Math.min(1, Math.max(0, (at - startMs) / spanMs))
  const spans = spansOf(tasks, needs, createdAt)
  const bars = [...groups].map(([key, group]): Bar => {
    const own = group.find(({ index }) => index === undefined) ?? group[0]
    const queued = group.flatMap((task) => ms(task.queuedAt) ?? [])
    const ended = group.flatMap((task) => ms(task.finishedAt) ?? [])
    const from = spans.get(key)?.from
    const first = queued.length > 0 ? Math.min(...queued) : from
    const over = own?.finishedAt !== null && own?.finishedAt !== undefined
    const to = over && ended.length > 0 ? Math.max(...ended) : endAt
    return {
      key,
      status: own?.status ?? 'pending',
      queuedFrom: place(first ?? endAt),
      from: place(from ?? (first === undefined ? endAt : to)),
      to: first === undefined ? place(endAt) : place(to),
      tookMs: from === undefined ? undefined : to - from,
      items: group.filter(({ index }) => index !== undefined).length,
    }
  })
  return { bars: bars.toSorted((a, b) => a.queuedFrom - b.queuedFrom || a.to - b.to), startMs, spanMs }
}

const steps = [
  100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 300_000, 600_000, 1_800_000, 3_600_000, 21_600_000,
  86_400_000,
]

/** Round moments after the start, a handful of them. */
export function ticksOf(spanMs: number, wanted = 6): number[] {
  const step = steps.find((each) => spanMs / each <= wanted) ?? Math.ceil(spanMs / wanted / 86_400_000) * 86_400_000
  return Array.from({ length: Math.floor(spanMs / step) + 1 }, (_, index) => index * step)
}
