import { waitFor } from '@millrace/testkit'
import { afterEach, describe, expect, test } from 'vitest'
import { Harness, projectId, TestWorker } from './support/harness.js'
import { type Death, MortalPools } from './support/mortal-pools.js'

/** The machine may be busy. */
const patient = { timeoutMs: 60_000 }
const items = Array.from({ length: 1100 }, (_, i) => i)
const definition = {
  tasks: {
    m: {
      uses: 'map',
      with: { items: '${{ input.items }}', task: { uses: 'crash.fn', with: { value: '${{ item }}' } } },
    },
  },
}

describe('a scheduler that dies in the middle of a map', { timeout: 90_000 }, () => {
  const cleanUp: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const step of cleanUp.splice(0).reverse()) await step()
  })

  async function startMortal(death: Death): Promise<{ harness: Harness; pools: MortalPools }> {
    let pools: MortalPools | undefined
    const harness = await Harness.start({}, 20_000, (url) => {
      pools = new MortalPools(url, death)
      return { pools }
    })
    if (!pools) throw new Error('no pools')
    const made = pools
    cleanUp.push(
      () => harness.stop(),
      () => made.end(),
    )
    return { harness, pools: made }
  }

  async function work(harness: Harness, service: Parameters<Harness['dispatch']>[0]): Promise<TestWorker> {
    const value = (json: string) => (JSON.parse(json) as { value: number }).value
    const worker = await new TestWorker(
      harness.dispatch(service),
      (lease) => ({ output: value(lease.inputJson) }),
      50,
    ).start(['crash.fn'])
    cleanUp.push(() => worker.stop())
    return worker
  }

  const count = async (harness: Harness, runId: string, sql: string) => {
    const { rows } = await harness.pool.query(
      `select count(*)::int as n from tasks where run_id = $1 and idx >= 0 ${sql}`,
      [runId],
    )
    return rows[0]?.n as number
  }

  test.each([
    ['before its second slice', { statement: 'insert_items as', nth: 2, committed: false }],
    ['after its second slice', { statement: 'insert_items as', nth: 2, committed: true }],
  ])('%s: another goes on with the items', async (_, death) => {
    const { harness, pools } = await startMortal(death)
    const runId = await harness.one(harness.define(definition), { items })
    await waitFor(() => pools.dead, patient)
    const made = await count(harness, runId, '')
    expect(made).toBeGreaterThan(0)
    expect(made).toBeLessThan(items.length)
    const other = await harness.startScheduler({}, 20_000)
    const worker = await work(harness, other)
    const run = await waitFor(
      async () => {
        const found = await harness.internal(other).getRun({ runId, projectId })
        return found.run?.status === 'succeeded' ? found : null
      },
      { timeoutMs: 80_000 },
    )
    expect(JSON.parse(run.tasks[0]?.outputJson ?? '')).toEqual(items)
    expect(worker.executed).toHaveLength(items.length)
    expect(await harness.events('workflow.completed', runId)).toHaveLength(1)
  })

  test('between the last child and its run: another carries the end', async () => {
    const { harness, pools } = await startMortal({ statement: 'find-inbox-of', nth: 1, committed: false })
    const runId = await harness.one(harness.define(definition), { items: items.slice(0, 40) })
    await work(harness, harness.service)
    await waitFor(() => pools.dead, patient)
    expect(await count(harness, runId, `and status = 'succeeded'`)).toBe(40)
    const other = await harness.startScheduler({}, 20_000)
    await waitFor(
      async () => (await harness.internal(other).getRun({ runId, projectId })).run?.status === 'succeeded',
      patient,
    )
    expect(await harness.events('workflow.completed', runId)).toHaveLength(1)
  })

  test('while it ends the children of a cancelled map: another ends the rest', async () => {
    const { harness, pools } = await startMortal({ statement: 'won_items as', nth: 2, committed: false })
    const runId = await harness.one(harness.define(definition), { items })
    await waitFor(async () => (await count(harness, runId, '')) === items.length, patient)
    await harness.internal().cancelRun({ runId, projectId, reason: 'asked' })
    await waitFor(() => pools.dead, patient)
    expect(await count(harness, runId, `and status = 'queued'`)).toBeGreaterThan(0)
    const other = await harness.startScheduler({}, 20_000)
    await waitFor(
      async () => (await harness.internal(other).getRun({ runId, projectId })).run?.status === 'cancelled',
      patient,
    )
    expect(await count(harness, runId, `and status <> 'cancelled'`)).toBe(0)
    expect(await harness.events('workflow.completed', runId)).toHaveLength(1)
  })

  test('two at once make each child once', async () => {
    const { harness } = await startMortal({ statement: 'no such statement', nth: 1, committed: false })
    const other = await harness.startScheduler({}, 20_000)
    const runIds = await harness.request(harness.define(definition), 3, { items: items.slice(0, 600) })
    const workers = [await work(harness, harness.service), await work(harness, other)]
    for (const runId of runIds) {
      const { run, tasks } = await harness.ended(runId, 80_000)
      expect(run?.status).toBe('succeeded')
      expect(JSON.parse(tasks[0]?.outputJson ?? '')).toEqual(items.slice(0, 600))
      const events = await harness.events('task.updated', runId)
      const ends = events.filter(({ index, status }) => index >= 0 && status === 'succeeded')
      expect(new Set(ends.map(({ taskId }) => taskId)).size).toBe(600)
      expect(ends).toHaveLength(600)
    }
    expect(workers.flatMap((worker) => worker.executed)).toHaveLength(1800)
  })
})
