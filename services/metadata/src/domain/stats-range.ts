import { type FieldError, unprocessable } from '@millrace/errors'

export interface StatsRange {
  from: Date
  to: Date
  bucketMs: number
}

const DAY = 86_400_000
/** A day's minutes, the finest that has a name over the usual range, and some. */
export const MAX_BUCKETS = 1_500
const units: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY }
const names: Record<string, string> = { minute: '1m', hour: '1h', day: '1d' }
/** About sixty buckets or fewer, of a length that people count in. */
const usual = ['1m', '5m', '15m', '1h', '6h', '1d', '7d', '30d']

/** The last day unless told otherwise. */
export function readStatsRange(query: { from?: string; to?: string; bucket?: string }, now: number): StatsRange {
  const to = query.to === undefined ? now : Date.parse(query.to)
  const from = query.from === undefined ? to - DAY : Date.parse(query.from)
  if (from >= to) throw invalid({ path: '/from', code: 'out_of_range', message: 'must be before to' })
  const span = to - from
  const bucketMs = query.bucket === undefined ? usualBucket(span) : parseBucket(query.bucket)
  if (bucketMs === undefined) {
    throw invalid({ path: '/bucket', code: 'invalid', message: 'must be minute, hour, day or a length such as 5m' })
  }
  if (span / bucketMs > MAX_BUCKETS) {
    throw invalid({
      path: '/bucket',
      code: 'out_of_range',
      message: `makes more than ${MAX_BUCKETS} buckets of the time asked for`,
    })
  }
  return { from: new Date(from), to: new Date(to), bucketMs }
}

function parseBucket(text: string): number | undefined {
  const [, count, unit] = /^([1-9]\d{0,4})([smhd])$/.exec(names[text] ?? text) ?? []
  return unit === undefined ? undefined : Number(count) * (units[unit] ?? 0)
}

function usualBucket(span: number): number {
  const lengths = usual.map((text) => parseBucket(text) ?? DAY)
  return lengths.find((length) => span / length <= 60) ?? Math.ceil(span / 60)
}

function invalid(fault: FieldError) {
  return unprocessable('invalid_query', `${fault.path.slice(1)} ${fault.message}.`, [fault])
}
