import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Harness, type Json } from './support/harness.js'

describe('events', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create()
  })
  afterAll(() => harness.close())
  beforeEach(() => {
    harness.sink.requests.length = 0
  })
  afterEach(() => harness.removeSubscriptions())

  /** Runs whose end the subscription was told of, once a last event shows that all before it were handled. */
  async function told(subscriptionId: string): Promise<string[]> {
    const last = randomUUID()
    await harness.emit(
      harness.completed({ runId: last, workflow: 'the-end', status: 'failed', labels: { the: 'end' } }),
    )
    const end = await harness.subscribe({ filter: { workflow: 'the-end' } })
    await harness.emit(harness.completed({ runId: randomUUID(), workflow: 'the-end' }))
    await harness.settled(end.id, 'delivered')
    const all = await harness.notifications(`?subscription=${subscriptionId}&limit=200`)
    return all.map((one) => one.runId as string).filter((runId) => runId !== last)
  }

  it('reach those subscriptions alone whose filter fits', async () => {
    const runs = {
      fits: randomUUID(),
      otherWorkflow: randomUUID(),
      otherStatus: randomUUID(),
      otherLabel: randomUUID(),
      noLabel: randomUUID(),
      cancelled: randomUUID(),
    }
    const { id } = await harness.subscribe({
      filter: { workflow: 'a', status: ['failed', 'cancelled'], labels: { team: 'shop', env: 'prod' } },
    })
    const labels = { team: 'shop', env: 'prod', more: 'x' }
    await harness.emit(
      harness.completed({ runId: runs.fits, workflow: 'a', status: 'failed', labels }),
      harness.completed({ runId: runs.otherWorkflow, workflow: 'b', status: 'failed', labels }),
      harness.completed({ runId: runs.otherStatus, workflow: 'a', status: 'succeeded', labels }),
      harness.completed({ runId: runs.otherLabel, workflow: 'a', status: 'failed', labels: { ...labels, env: 'dev' } }),
      harness.completed({ runId: runs.noLabel, workflow: 'a', status: 'failed', labels: {} }),
      harness.completed({ runId: runs.cancelled, workflow: 'a', status: 'cancelled', labels }),
    )
    expect((await told(id)).sort()).toEqual([runs.fits, runs.cancelled].sort())
  })

  it('of another project reach nobody here', async () => {
    const { id } = await harness.subscribe()
    await harness.emit(harness.completed({ projectId: randomUUID(), runId: randomUUID(), workflow: 'x' }))
    const all = await told(id)
    expect(all).toHaveLength(1)
  })

  it('that come again, at once or later, make one delivery', async () => {
    const { id } = await harness.subscribe()
    const runId = randomUUID()
    await harness.emit(harness.completed({ runId }))
    await harness.settled(id, 'delivered')
    // As after a restart that lost the reader's position.
    await harness.service.stop()
    await harness.pool.query(
      `insert into events.log (event_id, topic, key, subject, source, sequence, data)
       select event_id, topic, key, subject, source, sequence, data from events.log, generate_series(1, 3)
       where topic = 'workflow.completed' and key = $1`,
      [runId],
    )
    await harness.startService()
    expect(await told(id)).toHaveLength(2)
    const sent = harness.sink.requests.filter((request) => request.body.includes(runId))
    expect(sent).toHaveLength(1)
  })

  it('of dead letters and approvals carry what their reader needs', async () => {
    const { id } = await harness.subscribe({
      events: ['task.dead-lettered', 'approval.requested'],
      filter: { status: ['failed'], labels: { team: 'shop' } },
    })
    const runId = randomUUID()
    const labels = { team: 'shop' }
    const common = { runId, projectId: harness.projectId, workflow: 'a', version: 2, labels }
    const error = { code: 'http_status', message: 'no', class: 'http_5xx', retryable: true }
    await harness.emit(
      {
        topic: 'task.dead-lettered',
        key: runId,
        data: { ...common, taskId: randomUUID(), key: 'pay', index: 4, attempt: 3, error },
      },
      {
        topic: 'task.dead-lettered',
        key: runId,
        data: { ...common, labels: { team: 'ops' }, taskId: randomUUID(), key: 'pay', index: 5, attempt: 3, error },
      },
      {
        topic: 'approval.requested',
        key: runId,
        data: { ...common, taskId: randomUUID(), key: 'sign-off', role: 'operator', message: 'ok?' },
      },
      harness.completed({ runId }),
    )
    await waitFor(() => harness.sink.requests.length === 2)
    const bodies = harness.sink.requests.map((request) => JSON.parse(request.body) as { type: string; data: Json })
    expect(bodies.find((body) => body.type === 'task.dead-lettered')?.data).toMatchObject({
      ...common,
      status: 'failed',
      task: 'pay',
      index: 4,
      attempt: 3,
      error,
    })
    expect(bodies.find((body) => body.type === 'approval.requested')?.data).toMatchObject({
      ...common,
      status: 'waiting',
      task: 'sign-off',
      role: 'operator',
      message: 'ok?',
    })
    expect(await harness.notifications(`?subscription=${id}&run=${runId}`)).toHaveLength(2)
    expect(await harness.notifications(`?run=nonsense`)).toEqual([])
  })

  it('that are broken do not stop the others', async () => {
    const { id } = await harness.subscribe()
    const runId = randomUUID()
    await harness.emit(
      harness.completed({ runId: 'not-a-uuid' }),
      harness.completed({ outputJson: '{broken' }),
      harness.completed({ runId }),
    )
    const settled = await harness.settled(id, 'delivered', 20_000)
    expect(settled.runId).toBe(runId)
  })

  it('that come in a flood are delivered once each', async () => {
    const { id } = await harness.subscribe()
    const runs = Array.from({ length: 150 }, () => randomUUID())
    await harness.emit(...runs.map((runId) => harness.completed({ runId })))
    await waitFor(
      async () => (await harness.notifications(`?subscription=${id}&status=delivered&limit=200`)).length === 150,
      { timeoutMs: 20_000 },
    )
    const sent = harness.sink.requests.map((request) => (JSON.parse(request.body) as { data: Json }).data.runId)
    expect(sent.sort()).toEqual([...runs].sort())
  })
})
