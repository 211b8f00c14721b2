import { stepsSpent } from '@millrace/definition'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Harness, TestWorker } from './support/harness.js'

let harness: Harness
let worker: TestWorker

beforeAll(async () => {
  harness = await Harness.start()
  worker = await new TestWorker(harness.dispatch()).start()
})

afterAll(async () => {
  await worker.stop()
  await harness.stop()
})

const numbers = Array.from({ length: 9_000 }, (_, i) => i)
/** About 60,000 steps, and true. */
const costly = 'input.numbers.all(x, x + x >= x && x * 2 >= x)'
/** Over what any expression may cost. */
const tooCostly = 'input.numbers.map(x, x in input.numbers)'

const wide = (count: number, task: object) =>
  harness.define({ tasks: Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, task])) })

const small = () => harness.define({ tasks: { a: { uses: 'noop', with: { output: '${{ input.x + 1 }}' } } } })

const ended = (status: string): boolean => ['succeeded', 'failed', 'cancelled'].includes(status)

/** About 50 ms. Steps and not time, since a busy machine holds anybody up. */
const MAX_STEPS = 100_000

/** The most steps that this thread, which is the engine's, evaluated before it let others in. */
function watchSteps(): () => number {
  let most = 0
  let before = stepsSpent()
  let watching = true
  const look = () => {
    most = Math.max(most, stepsSpent() - before)
    before = stepsSpent()
    if (watching) setImmediate(look)
  }
  look()
  return () => {
    watching = false
    return most
  }
}

/** Runs small ones of another user while `runId` goes on. */
async function meanwhile(runId: string): Promise<{ runs: number; steps: number }> {
  const stepsAtOnce = watchSteps()
  const version = small()
  let runs = 0
  while (!ended((await harness.run(runId).catch(() => undefined))?.run?.status ?? 'queued')) {
    await harness.ended(await harness.one(version, { x: runs }), 60_000)
    runs += 1
  }
  return { runs, steps: stepsAtOnce() }
}

describe('what costly expressions of one run cost others', () => {
  it.each([
    ['with', { uses: 'noop', with: { output: `\${{ ${costly} }}` } }],
    ['if', { uses: 'noop', if: `\${{ ${costly} }}` }],
    ['the key of a limit', { uses: 'noop', concurrency: { limit: 50, key: `\${{ string(${costly}) }}` } }],
  ])('is little, in %s: two hundred tasks begin all the same', { timeout: 240_000 }, async (_, task) => {
    const runId = await harness.one(wide(200, task), { numbers })
    const { runs, steps } = await meanwhile(runId)
    expect((await harness.run(runId)).run?.status).toBe('succeeded')
    expect(runs).toBeGreaterThan(3)
    expect(steps).toBeLessThan(MAX_STEPS)
  })

  it('is little where each is over its bound: the tasks fail', { timeout: 240_000 }, async () => {
    const task = { uses: 'noop', onFailure: 'continue', with: { output: `\${{ ${tooCostly} }}` } }
    const runId = await harness.one(wide(60, task), { numbers })
    const { runs, steps } = await meanwhile(runId)
    const { tasks = [] } = await harness.run(runId)
    expect(tasks.every(({ status, error }) => status === 'failed' && error?.class === 'expression')).toBe(true)
    expect(runs).toBeGreaterThan(3)
    expect(steps).toBeLessThan(MAX_STEPS)
  })

  it('is little for the items of a map, also when they are tried again', { timeout: 240_000 }, async () => {
    const child = { uses: 'noop', with: { output: `\${{ ${costly} && item >= 0 }}` }, retry: { delay: '1ms' } }
    const version = harness.define({
      tasks: { m: { uses: 'map', with: { items: '${{ input.numbers.filter(x, x < 100) }}', task: child } } },
    })
    const runId = await harness.one(version, { numbers })
    const { runs, steps } = await meanwhile(runId)
    expect((await harness.run(runId)).run?.status).toBe('succeeded')
    expect(runs).toBeGreaterThan(3)
    expect(steps).toBeLessThan(MAX_STEPS)
  })

  it('is little in a run’s output', { timeout: 120_000 }, async () => {
    const version = harness.define({ output: { all: `\${{ ${costly} }}` }, tasks: { a: { uses: 'noop' } } })
    const ids = await harness.request(version, 50, { numbers })
    const { steps } = await meanwhile(ids[49] ?? '')
    for (const id of ids) expect((await harness.ended(id, 60_000)).run?.status).toBe('succeeded')
    expect(steps).toBeLessThan(MAX_STEPS)
  })
})

it('inputs that are large together do not go into one statement', { timeout: 120_000 }, async () => {
  const text = 'x'.repeat(250_000)
  const version = wide(200, { uses: 'noop', with: { output: '${{ input.text }}' } })
  const runId = await harness.one(version, { text })
  const largest = async () => {
    const { rows } = await harness.pool.query(
      `select max(n)::int as most from (select count(*) n from tasks where run_id = $1 and status <> 'pending' group by queued_at) x`,
      [runId],
    )
    return (rows[0] as { most: number | null }).most ?? 0
  }
  await harness.ended(runId, 60_000)
  expect(await largest()).toBeLessThan(100)
})

it('a run whose tasks are put off is cancelled at once', { timeout: 60_000 }, async () => {
  const runId = await harness.one(wide(400, { uses: 'noop', with: { output: `\${{ ${costly} }}` } }), { numbers })
  await waitFor(async () => expect((await harness.run(runId)).run?.status).toBe('running'))
  await harness.internal().cancelRun({ runId, projectId: (await harness.run(runId)).run?.projectId ?? '' })
  expect((await harness.ended(runId)).run?.status).toBe('cancelled')
  const { rows } = await harness.pool.query('select 1 from timers where run_id = $1', [runId])
  expect(rows).toEqual([])
})
