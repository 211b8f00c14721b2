import type { Schedule } from '../api/types'
import { formatAbsolute } from '../ui/format'

/** What the overview makes of what it reads. Pure. */

export interface Range {
  id: string
  label: string
  spanMs: number
  /** As the API takes it. */
  bucket: string
  bucketMs: number
}

const minute = 60_000
export const ranges: readonly Range[] = [
  { id: '1h', label: 'Last hour', spanMs: 60 * minute, bucket: '1m', bucketMs: minute },
  { id: '24h', label: 'Last day', spanMs: 1_440 * minute, bucket: '30m', bucketMs: 30 * minute },
  { id: '7d', label: 'Last week', spanMs: 10_080 * minute, bucket: '3h', bucketMs: 180 * minute },
  { id: '30d', label: 'Last 30 days', spanMs: 43_200 * minute, bucket: '12h', bucketMs: 720 * minute },
]

/** A range in the address: one by its name, or what was brushed, from and to. */
export interface Span extends Range {
  /** Set where the end is fixed; a range by name ends now. */
  toMs?: number
}

const bucketSteps: readonly [string, number][] = [
  ['5s', 5_000],
  ['15s', 15_000],
  ['1m', minute],
  ['5m', 5 * minute],
  ['15m', 15 * minute],
  ['30m', 30 * minute],
  ['3h', 180 * minute],
  ['12h', 720 * minute],
  ['1d', 1_440 * minute],
]
const mostColumns = 70

export function rangeOf(id: string | undefined, from?: string, to?: string): Span {
  const [fromMs, toMs] = [Date.parse(from ?? ''), Date.parse(to ?? '')]
  if (!(toMs > fromMs)) return ranges.find((range) => range.id === id) ?? (ranges[1] as Range)
  const spanMs = toMs - fromMs
  const [bucket, bucketMs] = bucketSteps.find(([, ms]) => spanMs / ms <= mostColumns) ?? ['1d', 1_440 * minute]
  return { id: `${fromMs}-${toMs}`, label: 'Zoomed in', spanMs, bucket, bucketMs, toMs }
}

export interface TimeBucket {
  from?: string
}

/** The API leaves out what holds nothing; a drawing over time must not. Bounded, whatever the answer says. */
export function fillBuckets<T extends TimeBucket>(
  buckets: readonly T[],
  fromMs: number,
  toMs: number,
  bucketMs: number,
): { at: number; bucket: T | undefined }[] {
  const byStart = new Map(buckets.map((bucket) => [Math.floor(Date.parse(bucket.from ?? '') / bucketMs), bucket]))
  const first = Math.floor(fromMs / bucketMs)
  const count = Math.min(500, Math.max(0, Math.ceil(toMs / bucketMs) - first))
  return Array.from({ length: count }, (_, index) => ({
    at: (first + index) * bucketMs,
    bucket: byStart.get(first + index),
  }))
}

/** Ended runs alone: what still runs has neither succeeded nor failed. */
export function successRate(counts: Readonly<Record<string, number>> | undefined): number | undefined {
  const succeeded = counts?.succeeded ?? 0
  const ended = succeeded + (counts?.failed ?? 0)
  return ended === 0 ? undefined : succeeded / ended
}

/** What the API takes as a time, of a range that ends now or where it was brushed. */
export const timesOf = ({ spanMs, toMs }: Span, now: number): { from: string; to: string } => {
  const to = toMs ?? now
  return { from: new Date(to - spanMs).toISOString(), to: new Date(to).toISOString() }
}

/** In words, beside a number that was counted over it. */
export function rangeInWords(range: Span): string {
  if (range.toMs === undefined) return range.label.toLowerCase()
  return `${formatAbsolute(range.toMs - range.spanMs)} – ${formatAbsolute(range.toMs)}`
}

/** The soonest first; what is paused comes due at no time. */
export const nextDue = (schedules: readonly Schedule[], shown: number): Schedule[] =>
  schedules
    .filter(({ nextAt }) => nextAt !== null)
    .toSorted((a, b) => Date.parse(a.nextAt ?? '') - Date.parse(b.nextAt ?? ''))
    .slice(0, shown)
