import { expect, test } from 'vitest'
import { describeFailure, runSeeds } from './run-seeds.js'
import { type SimulationResult, simulate } from './simulation.js'

// make sim: not part of the test suite.
const { SEED, SEEDS = '10000', FROM = '1' } = process.env
const say = (text: string) => process.stdout.write(`${text}\n`)
const HOUR_MS = 3_600_000

test.runIf(SEED)('one seed', { timeout: HOUR_MS }, async () => {
  const result = await simulate({ seed: Number(SEED), tracing: true })
  for (const line of result.trace) say(line)
  say(`seed ${SEED}: ${result.steps} steps, ${Math.round(result.virtualMs)} ms, trace ${result.traceHash}`)
  expect(result.violations).toEqual([])
})

test.skipIf(SEED)('many seeds', { timeout: 24 * HOUR_MS }, async () => {
  const progress = (done: number, result: SimulationResult) => {
    if (result.violations.length > 0) say(describeFailure(result))
    if (done % 1000 === 0) say(`${done} seeds`)
  }
  const { failed, counts, ...total } = await runSeeds(Number(FROM), Number(SEEDS), { progress })
  for (const [what, n] of Object.entries(counts).sort(([, a], [, b]) => b - a)) say(`${String(n).padStart(10)} ${what}`)
  say(JSON.stringify(total))
  expect(failed.map(describeFailure)).toEqual([])
})
