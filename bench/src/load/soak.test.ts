import { expect, test } from 'vitest'
import { plot } from './plot.js'
import { byMinute } from './report.js'
import type { Outcome } from './results.js'
import { brokenLimits, soakReport } from './soak.js'

/** A run each second, whose time and whose process's memory are what is said of that second. */
function soak(seconds: number, msAt: (second: number) => number, memoryMbAt: (second: number) => number): Outcome {
  const each = Array.from({ length: seconds }, (_, second) => second)
  return {
    ...{ name: 'soak', seconds, stuck: 0, failed: 0 },
    sent: { started: seconds, errors: 0, answersMs: [], unanswered: 0 },
    runs: each.map((second) => ({ second, ms: msAt(second) })),
    samples: each.map((second) => ({
      ...{ second, memoryMb: memoryMbAt(second), memoryByKind: {}, lag: 0, deadRows: 0, open: 0 },
      databaseMb: 100 + second,
    })),
  }
}

const steady = () => 100
const slower = (by: number) => (second: number) => (second < 600 ? 100 : 100 * (1 + by / 100))
const growing = (percentAnHour: number) => (second: number) => 500 * (1 + ((percentAnHour / 100) * second) / 3600)

test('a soak that keeps its p99 and its memory is within its limits', () => {
  const outcome = soak(900, slower(10), growing(0.9))
  expect(brokenLimits(outcome)).toEqual([])
  expect(soakReport(outcome)).toContain('Within its limits.')
})

test('a p99 that moved by more than 10 % breaks a limit', () => {
  const outcome = soak(900, slower(11), steady)
  expect(brokenLimits(outcome)).toEqual(['p99 of runs moved by 11 %, more than 10 %'])
  expect(soakReport(outcome)).toContain('Limits broken: p99 of runs moved by 11 %')
})

test('memory that grows by more than 1 % an hour breaks a limit', () => {
  expect(brokenLimits(soak(900, steady, growing(1.5)))).toEqual(['memory grew by 1.5 % an hour, more than 1 % an hour'])
})

test('a soak of which nothing can be said is not within its limits', () => {
  expect(brokenLimits({ ...soak(900, steady, steady), runs: [] })).toHaveLength(1)
})

test('a soak of less than a quarter of an hour is not judged', () => {
  const outcome = soak(899, slower(100), growing(100))
  expect(brokenLimits(outcome)).toEqual([])
  expect(soakReport(outcome)).toContain('Not judged: shorter than 15 minutes.')
})

test('its table and its plot have the size of the database', () => {
  const outcome = soak(120, steady, steady)
  expect(byMinute(outcome)).toEqual([
    { minute: 0, runs: 60, p50: 100, p99: 100, databaseMb: 159 },
    { minute: 1, runs: 60, p50: 100, p99: 100, databaseMb: 219 },
  ])
  expect(soakReport(outcome)).toContain('| 1 | 60 | 100 | 100 | 219 |')
  expect(plot(outcome)).toMatch(/size of the database, MB<\/text>\n<text [^>]*>219</)
})
