import { expect, test } from 'vitest'
import { plot } from './plot.js'
import { byMinute } from './report.js'
import type { Outcome } from './results.js'
import { brokenLimits, soakReport } from './soak.js'

/** A run each second, whose time and whose process's memory are what is said of that second, and its sample with `more`. */
function soak(
  seconds: number,
  msAt: (second: number) => number,
  memoryMbAt: (second: number) => number,
  more: (second: number) => Partial<Outcome['samples'][number]> = () => ({}),
): Outcome {
  const each = Array.from({ length: seconds }, (_, second) => second)
  return {
    ...{ name: 'soak', seconds, stuck: 0, failed: 0 },
    sent: { asked: seconds, started: seconds, startedInTime: seconds, errors: 0, answersMs: [], unanswered: 0 },
    runs: each.map((second) => ({ second, ms: msAt(second) })),
    samples: each.map((second) => ({
      ...{ second, memoryMb: memoryMbAt(second), memoryByKind: {}, lag: 0, open: 0 },
      ...{ deadRows: 400, liveRows: 1000, oldestEndedSeconds: 615, databaseMb: 100 + second },
      ...more(second),
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

test('a soak whose runs were not started in time was one at less than half of capacity', () => {
  const outcome = soak(900, steady, steady)
  const sent = { ...outcome.sent, asked: 1000, startedInTime: 949 }
  expect(brokenLimits({ ...outcome, sent: { ...sent, startedInTime: 950 } })).toEqual([])
  expect(brokenLimits({ ...outcome, sent })).toEqual([
    '94.9 % of the runs asked for were started in time, less than 95 %',
  ])
})

test('dead rows are bounded by what is alive, at every moment of the last third', () => {
  const dead = (deadRows: number, at: number) =>
    brokenLimits(soak(900, steady, steady, (second) => (second === at ? { deadRows } : {})))
  expect(dead(501, 300)).toEqual([])
  expect(dead(500, 800)).toEqual([])
  expect(dead(501, 800)).toEqual(['50.1 dead rows for a hundred live ones, more than 50'])
})

test('the database may grow with the runs, and no faster', () => {
  const grown = (late: number) =>
    brokenLimits(soak(900, steady, steady, (second) => ({ databaseMb: second + Math.max(0, second - 600) * late })))
  expect(grown(0.25)).toEqual([])
  expect(grown(-1.5)).toEqual([])
  expect(grown(0.3)).toEqual(['the database grew 30 % faster at the end, more than 25 %'])
  const after = (second: number) => ({ databaseMb: Math.max(600, second) })
  expect(brokenLimits(soak(900, steady, steady, after))).toHaveLength(1)
})

test('a run that is there long after its retention breaks a limit', () => {
  const kept = (oldestEndedSeconds: number) => brokenLimits(soak(900, steady, steady, () => ({ oldestEndedSeconds })))
  expect(kept(720)).toEqual([])
  expect(kept(721)).toEqual(['a run was there 721 s after its end, more than 720 s'])
})

test('a soak of which nothing can be said is not within its limits', () => {
  const outcome = soak(900, steady, steady)
  expect(brokenLimits({ ...outcome, runs: [] })).toHaveLength(1)
  expect(brokenLimits({ ...outcome, samples: [] })).toHaveLength(4)
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
