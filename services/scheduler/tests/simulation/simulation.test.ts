import { expect, test } from 'vitest'
import { pauseOften } from './pauses.js'
import { describeFailure, runSeeds } from './run-seeds.js'
import { simulate } from './simulation.js'

const SEEDS = 1000

test('schedulers keep every promise under a thousand mixtures of faults', { timeout: 1_200_000 }, async () => {
  const { failed, faultFree, counts } = await runSeeds(1, SEEDS)
  expect(failed.map(describeFailure)).toEqual([])
  // A simulation in which nothing goes wrong shows nothing.
  expect(faultFree).toBeGreaterThan(50)
  for (const what of [
    'a replica crashes',
    'a worker freezes',
    'the clock jumps',
    'stale',
    'a slot was taken',
    'a child of a map was leased',
    'a run was admitted',
    'settings of a queue changed',
    'a queue got a weight',
    'a queue was paused',
    'user: worker paused',
    'a rerun',
    'a rerun of one item',
    'an output was taken over',
    'user: worker draining',
    'a lease waited for a slot',
    'a lease waited for too long',
    'run queued → running',
    'running → queued',
    'running → delayed',
    'running → cancelled',
    'pending → running',
    'queued → running',
    'run failed → running',
    'run paused → running',
    'warn: worker sessions ended without a heartbeat',
  ]) {
    expect(counts[what] ?? 0, what).toBeGreaterThan(10)
  }
})

test('paused queues and workers get nothing', { timeout: 600_000 }, async () => {
  const { failed, counts } = await runSeeds(1, 200, { tamper: pauseOften })
  expect(failed.map(describeFailure)).toEqual([])
  expect(counts['a queue was paused']).toBeGreaterThan(200)
  expect(counts['user: worker paused']).toBeGreaterThan(200)
})

test('a seed plays the same history again', { timeout: 120_000 }, async () => {
  for (const seed of [3, 21, 48, 164]) {
    const [once, again] = [await simulate({ seed, tracing: true }), await simulate({ seed, tracing: true })]
    expect(again.trace).toEqual(once.trace)
    expect(again.traceHash).toBe(once.traceHash)
    expect(once.trace.length).toBeGreaterThan(100)
  }
  expect((await simulate({ seed: 4 })).traceHash).not.toBe((await simulate({ seed: 5 })).traceHash)
})
