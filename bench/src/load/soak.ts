import { round } from '../stats.js'
import { byMinute, drift } from './report.js'
import type { Outcome } from './results.js'

/** What may move between the first and the last third, per cent. */
export const soakLimits = { p99Percent: 10, memoryPercentAnHour: 1 } as const

/** A shorter one is warm-up for the most part: its drift is printed, and says nothing. */
export const judgedFromSeconds = 15 * 60

/** Which limits a soak broke, in words; nothing of one that was too short to be judged. A drift that cannot be told is broken. */
export function brokenLimits(outcome: Outcome): string[] {
  if (outcome.seconds < judgedFromSeconds) return []
  const moved = drift(outcome)
  const broken: string[] = []
  if (!(moved.p99Percent <= soakLimits.p99Percent)) {
    broken.push(`p99 of runs moved by ${moved.p99Percent} %, more than ${soakLimits.p99Percent} %`)
  }
  if (!(moved.memoryPercentAnHour <= soakLimits.memoryPercentAnHour)) {
    broken.push(
      `memory grew by ${moved.memoryPercentAnHour} % an hour, more than ${soakLimits.memoryPercentAnHour} % an hour`,
    )
  }
  return broken
}

/** What was said of a soak at its end. */
export function soakReport(outcome: Outcome): string {
  const { p99Percent, memoryPercentAnHour } = drift(outcome)
  const broken = brokenLimits(outcome)
  const verdict =
    outcome.seconds < judgedFromSeconds
      ? `Not judged: shorter than ${judgedFromSeconds / 60} minutes.`
      : broken.length === 0
        ? 'Within its limits.'
        : `Limits broken: ${broken.join('; ')}.`
  return `${minuteTable(outcome)}\n\np99 ${p99Percent} %, memory ${memoryPercentAnHour} % an hour. ${verdict}`
}

function minuteTable(outcome: Outcome): string {
  const rows = byMinute(outcome).map(
    ({ minute, runs, p50, p99, databaseMb }) =>
      `| ${minute} | ${runs} | ${p50} | ${p99} | ${databaseMb === undefined ? '–' : round(databaseMb)} |`,
  )
  return ['| minute | runs | p50, ms | p99, ms | database, MB |', '|---|---|---|---|---|', ...rows].join('\n')
}
