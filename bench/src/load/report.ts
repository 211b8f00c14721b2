import { round } from '../stats.js'
import { type Outcome, p, slope } from './results.js'

const columns = [
  'scenario',
  'runs',
  'errors',
  'unanswered at the end',
  'failed',
  'stuck',
  'run p50 / p95 / p99, ms',
  'answer p50 / p99, ms',
  'lag, most events',
  'memory, MB at first → last',
  'dead rows, most',
]

export function table(outcomes: readonly Outcome[]): string {
  const rows = outcomes.map((outcome) => `| ${cells(outcome).join(' | ')} |`)
  return [`| ${columns.join(' | ')} |`, `|${columns.map(() => '---').join('|')}|`, ...rows].join('\n')
}

function cells({ name, seconds, sent, runs, failed, stuck, samples }: Outcome): (string | number)[] {
  const took = runs.map(({ ms }) => ms)
  const of = (values: number[], ...qs: number[]) =>
    qs.map((q) => (values.length ? round(p(values, q)) : '–')).join(' / ')
  const [first, last] = [samples[0], samples.at(-1)]
  return [
    `${name}, ${seconds} s`,
    sent.started,
    sent.errors,
    sent.unanswered,
    failed,
    stuck,
    of(took, 0.5, 0.95, 0.99),
    of(sent.answersMs, 0.5, 0.99),
    Math.max(0, ...samples.map(({ lag }) => lag)),
    `${round(first?.memoryMb ?? 0, 0)} → ${round(last?.memoryMb ?? 0, 0)}`,
    Math.max(0, ...samples.map(({ deadRows }) => deadRows)),
  ]
}

/** A soak is judged by what changes: the first fifth is warm-up, then the first and the last third are compared. */
export function phases(seconds: number): { warm: number; third: number } {
  const warm = seconds / 5
  return { warm, third: (seconds - warm) / 3 }
}

export function drift({ runs, samples, seconds }: Outcome): { p99Percent: number; memoryPercentAnHour: number } {
  const { warm, third } = phases(seconds)
  const early = runs.filter(({ second }) => second >= warm && second < warm + third).map(({ ms }) => ms)
  const late = runs.filter(({ second }) => second >= seconds - third).map(({ ms }) => ms)
  const after = samples.filter(({ second }) => second >= warm && second <= seconds)
  const base = after[0]?.memoryMb ?? Number.NaN
  return {
    p99Percent: round((p(late, 0.99) / p(early, 0.99) - 1) * 100),
    memoryPercentAnHour: round(((slope(after) * 3600) / base) * 100),
  }
}

export interface Minute {
  minute: number
  runs: number
  p50: number
  p99: number
  /** As it was last seen in this minute. */
  databaseMb: number | undefined
}

/** How many runs were asked for in each minute, how long they took, and how large the database was at its end. */
export function byMinute({ runs, samples }: Outcome): Minute[] {
  const minuteOf = (second: number) => Math.floor(second / 60)
  const last = Math.max(-1, ...[...runs, ...samples].map(({ second }) => minuteOf(second)))
  const took = Array.from({ length: last + 1 }, (): number[] => [])
  for (const { second, ms } of runs) took[minuteOf(second)]?.push(ms)
  const sizes = new Map(samples.map(({ second, databaseMb }) => [minuteOf(second), databaseMb]))
  return took.map((ms, minute) => ({
    minute,
    runs: ms.length,
    p50: round(p(ms, 0.5)),
    p99: round(p(ms, 0.99)),
    databaseMb: sizes.get(minute),
  }))
}
