import { afterAll, beforeAll, expect, test } from 'vitest'
import { plot } from '../bench/src/load/plot.js'
import { drift, table } from '../bench/src/load/report.js'
import { runScenario } from '../bench/src/load/run-scenario.js'
import { schedulesInOneSecond } from '../bench/src/load/schedules.js'
import { startTarget, type Target } from '../bench/src/target.js'

let target: Target
beforeAll(async () => {
  target = await startTarget({ countStatements: false })
}, 120_000)
afterAll(() => target?.stop(), 60_000)

test.each(['light', 'burst', 'fan-out', 'mixed'])('two seconds of %s', { timeout: 120_000 }, async (name) => {
  const outcome = await runScenario(target, name, { seconds: 2 })
  expect(outcome).toMatchObject({ stuck: 0, failed: 0, sent: { errors: 0 } })
  expect(outcome.runs.length).toBe(outcome.sent.started)
  expect(outcome.sent.started).toBeGreaterThan(5)
  for (const { memoryMb, lag } of outcome.samples) {
    expect(memoryMb).toBeGreaterThan(100)
    expect(lag).toBeGreaterThanOrEqual(0)
  }
  // A busy machine may answer the last ones after the two seconds.
  const { started, unanswered } = outcome.sent
  expect(table([outcome])).toContain(`| ${name}, 2 s | ${started} | 0 | ${unanswered} | 0 |`)
  expect(plot(outcome)).toMatch(/^<svg .*[\s\S]*<polyline points="[\d.]+,[\d.]+ [\s\S]*<\/svg>\n$/)
})

test('a soak says how much its p99 and memory moved', { timeout: 120_000 }, async () => {
  const outcome = await runScenario(target, 'soak', { seconds: 5, capacity: 20 })
  expect(outcome).toMatchObject({ stuck: 0, failed: 0 })
  expect(outcome.sent).toMatchObject({ asked: 50, started: 50 })
  expect(outcome.sent.startedInTime).toBeGreaterThan(0)
  const last = outcome.samples.at(-1)
  expect(last?.liveRows).toBeGreaterThan(0)
  expect(last?.oldestEndedSeconds).toBeGreaterThan(0)
  const { p99Percent, memoryPercentAnHour } = drift(outcome)
  expect([p99Percent, memoryPercentAnHour]).toEqual([expect.any(Number), expect.any(Number)])
  const doubled = outcome.runs.map((run) => ({ ...run, ms: run.second < 3 ? 100 : 200 }))
  expect(drift({ ...outcome, runs: doubled }).p99Percent).toBe(100)
})

test('300 schedules due in one second fire soon, none twice', { timeout: 180_000 }, async () => {
  const { fired, twice, lastMs } = await schedulesInOneSecond(target, 300)
  expect([fired, twice]).toEqual([300, 0])
  expect(lastMs).toBeLessThan(30_000)
})
