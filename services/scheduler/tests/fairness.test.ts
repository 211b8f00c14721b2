import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, TestWorker } from './support/harness.js'

describe('fairness between projects', () => {
  let harness: Harness
  beforeAll(async () => {
    // The reconciler would take away places in the queue that have no task.
    harness = await Harness.start({ reconcileMs: 600_000 })
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

  /** Places in the queue behind whatever is there: nothing looks at their tasks before their turn, which never comes. */
  async function insertBacklog(owner: string, uses: string, queue: string, count: number) {
    await harness.pool.query(
      `insert into task_queue (task_id, run_id, project_id, queue, uses, priority)
      select gen_random_uuid(), gen_random_uuid(), $1, $3, $2, 5 from generate_series(1, $4)`,
      [owner, uses, queue, count],
    )
  }

  const queued = async (ids: readonly string[]): Promise<boolean> => {
    const found = await harness.pool.query('select 1 from task_queue where run_id = any($1::uuid[])', [ids])
    return found.rowCount === ids.length
  }

  test("a hundred thousand tasks starve nobody's one task, whether they wait, are paused or have no worker", async () => {
    const [greedy, paused, idle, other] = [v7(), v7(), v7(), v7()]
    const versionId = harness.define({ tasks: { a: { uses: 'crowd.fn' } } })
    const first = await harness.request(versionId, 60, undefined, undefined, { projectId: greedy })
    await waitFor(() => queued(first))
    await insertBacklog(greedy, 'crowd.fn', 'default', 60_000)
    await insertBacklog(paused, 'crowd.fn', 'held', 20_000)
    await insertBacklog(idle, 'nobody.fn', 'default', 20_000)
    await harness.control().updateQueue({ projectId: paused, name: 'held', paused: true })
    const late = await harness.request(versionId, 1, undefined, undefined, { projectId: other })
    await waitFor(() => queued(late))
    const client = harness.dispatch()
    const queues = ['default', 'held']
    const { sessionId: id, sessionSecret: secret } = await client.register({
      ...{ name: 'hand', executors: ['crowd.fn'], queues, concurrency: 50 },
    })
    const projects: string[] = []
    while (projects.length < 40) {
      const { leases } = await client.leaseTasks({ session: { id, secret }, max: 4, waitMs: 5000 })
      projects.push(...leases.map((lease) => lease.projectId))
    }
    expect(projects.indexOf(other)).toBeGreaterThanOrEqual(0)
    expect(projects.indexOf(other)).toBeLessThan(4)
    expect(new Set(projects)).toEqual(new Set([greedy, other]))
    const shown = await harness.control().listQueues({ projectId: paused, limit: 10 })
    expect(shown.queues.find(({ name }) => name === 'held')).toMatchObject({ depth: 20_000, paused: true })
  })
})
