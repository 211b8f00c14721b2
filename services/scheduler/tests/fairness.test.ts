import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, TestWorker } from './support/harness.js'

describe('fairness between projects', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.start()
  })
  afterAll(() => harness?.stop())

  test('a backlog of one project does not starve the one task of another', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'custom.fn' } } })
    const backlog = await harness.request(versionId, 1000)
    const other = v7()
    const [late = ''] = await harness.request(versionId, 1, undefined, [v7()], { projectId: other })
    await expect
      .poll(async () => (await harness.pool.query('select count(*)::int as n from task_queue')).rows[0].n, {
        timeout: 20_000,
      })
      .toBe(1001)
    const worker = await new TestWorker(harness.dispatch(), () => ({}), 2).start(['custom.fn'])
    await expect.poll(() => worker.executed.some((lease) => lease.runId === late), { timeout: 20_000 }).toBe(true)
    const place = worker.executed.findIndex((lease) => lease.runId === late)
    expect(place).toBeLessThan(5)
    await worker.stop()
    expect(backlog).toHaveLength(1000)
  })

  test('within a project priority goes first', async () => {
    const low = harness.define({ tasks: { a: { uses: 'ordered.fn', priority: 1 } } })
    const high = harness.define({ tasks: { a: { uses: 'ordered.fn', priority: 9 } } })
    const first = await harness.request(low, 3)
    const urgent = await harness.request(high, 3)
    await expect
      .poll(async () => {
        const { rows } = await harness.pool.query(`select count(*)::int as n from task_queue where uses = 'ordered.fn'`)
        return rows[0].n
      })
      .toBe(6)
    const worker = await new TestWorker(harness.dispatch(), () => ({}), 1).start(['ordered.fn'])
    await expect.poll(() => worker.executed.length, { timeout: 10_000 }).toBe(6)
    const order = worker.executed.map((lease) => lease.runId)
    expect(new Set(order.slice(0, 3))).toEqual(new Set(urgent))
    expect(new Set(order.slice(3))).toEqual(new Set(first))
    await worker.stop()
  })
})
