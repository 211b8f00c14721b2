import { round } from '../stats.js'
import { byMinute, drift, phases } from './report.js'
import type { Outcome } from './results.js'
import type { Sample } from './sample.js'

/** What a soak keeps of ended runs. */
export const soakRetentionMinutes = 10

export const soakLimits = {
  /** What may move between the first and the last third, per cent. */
  p99Percent: 10,
  memoryPercentAnHour: 1,
  /** Of the runs asked for, so many were started in time: with fewer it was a soak at less than half of capacity. */
  startedPercent: 95,
  /** Dead rows for a hundred live ones, at any moment of the last third. */
  deadPercent: 50,
  /** A run leaves rows for as long as events are kept, so the database grows; what each run adds must not. */
  growthPercent: 25,
  /** Ended runs may be there for so much longer than retention says. */
  retentionLateSeconds: 120,
} as const

/** A shorter one is warm-up for the most part: its drift is printed, and says nothing. */
export const judgedFromSeconds = 15 * 60

export interface Soaked {
  p99Percent: number
  memoryPercentAnHour: number
  startedPercent: number
  deadPercent: number
  growthPercent: number
  oldestEndedSeconds: number
}

/** What a soak is judged by. */
export function soaked(outcome: Outcome): Soaked {
  const { seconds, sent, samples } = outcome
  const { warm, third } = phases(seconds)
  const early = samples.filter(({ second }) => second >= warm && second < warm + third)
  const late = samples.filter(({ second }) => second >= seconds - third && second <= seconds)
  const most = (values: number[]) => (values.length === 0 ? Number.NaN : Math.max(...values))
  return {
    ...drift(outcome),
    startedPercent: round((sent.startedInTime / sent.asked) * 100),
    deadPercent: round(most(late.map(({ deadRows, liveRows }) => (deadRows / liveRows) * 100))),
    growthPercent: faster(growth(early), growth(late)),
    oldestEndedSeconds: round(most(late.map(({ oldestEndedSeconds }) => oldestEndedSeconds))),
  }
}

function faster(before: number, after: number): number {
  return after <= 0 ? -100 : round((after / Math.max(0, before) - 1) * 100)
}

/** Runs are asked for at one rate, so MB a second stand for MB a run. */
function growth(samples: readonly Sample[]): number {
  const [first, last] = [samples[0], samples.at(-1)]
  if (!first || !last || first === last) return Number.NaN
  return (last.databaseMb - first.databaseMb) / (last.second - first.second)
}

/** Which limits a soak broke, in words; nothing of one that was too short to be judged. What cannot be told is broken. */
export function brokenLimits(outcome: Outcome): string[] {
  if (outcome.seconds < judgedFromSeconds) return []
  const found = soaked(outcome)
  const { p99Percent, memoryPercentAnHour, startedPercent, deadPercent, growthPercent } = soakLimits
  const keptSeconds = soakRetentionMinutes * 60 + soakLimits.retentionLateSeconds
  const checks: [boolean, string][] = [
    [found.p99Percent <= p99Percent, `p99 of runs moved by ${found.p99Percent} %, more than ${p99Percent} %`],
    [
      found.memoryPercentAnHour <= memoryPercentAnHour,
      `memory grew by ${found.memoryPercentAnHour} % an hour, more than ${memoryPercentAnHour} % an hour`,
    ],
    [
      found.startedPercent >= startedPercent,
      `${found.startedPercent} % of the runs asked for were started in time, less than ${startedPercent} %`,
    ],
    [
      found.deadPercent <= deadPercent,
      `${found.deadPercent} dead rows for a hundred live ones, more than ${deadPercent}`,
    ],
    [
      found.growthPercent <= growthPercent,
      `the database grew ${found.growthPercent} % faster at the end, more than ${growthPercent} %`,
    ],
    [
      found.oldestEndedSeconds <= keptSeconds,
      `a run was there ${found.oldestEndedSeconds} s after its end, more than ${keptSeconds} s`,
    ],
  ]
  return checks.flatMap(([isWithin, words]) => (isWithin ? [] : [words]))
}

/** What was said of a soak at its end. */
export function soakReport(outcome: Outcome): string {
  const found = soaked(outcome)
  const broken = brokenLimits(outcome)
  const verdict =
    outcome.seconds < judgedFromSeconds
      ? `Not judged: shorter than ${judgedFromSeconds / 60} minutes.`
      : broken.length === 0
        ? 'Within its limits.'
        : `Limits broken: ${broken.join('; ')}.`
  const moved = `p99 ${found.p99Percent} %, memory ${found.memoryPercentAnHour} % an hour, growth of the database ${found.growthPercent} %`
  const held = `Started in time ${found.startedPercent} %, dead rows ${found.deadPercent} %, oldest ended run ${found.oldestEndedSeconds} s.`
  return `${minuteTable(outcome)}\n\n${moved}. ${held} ${verdict}`
}

function minuteTable(outcome: Outcome): string {
  const rows = byMinute(outcome).map(
    ({ minute, runs, p50, p99, databaseMb }) =>
      `| ${minute} | ${runs} | ${p50} | ${p99} | ${databaseMb === undefined ? '–' : round(databaseMb)} |`,
  )
  return ['| minute | runs | p50, ms | p99, ms | database, MB |', '|---|---|---|---|---|', ...rows].join('\n')
}
