import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Harness, type Json } from './support/harness.js'

describe('mail', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create({ mailsPerRecipient: 5, overflowDigestMs: 700 })
  })
  afterAll(() => harness.close())
  afterEach(() => harness.removeSubscriptions())

  const mailTo = (to: string, more: Json = {}) =>
    harness.subscribe({ events: ['workflow.failed'], channel: { type: 'email', to: [to] }, ...more })
  const failures = (count: number) => Array.from({ length: count }, () => harness.completed({ status: 'failed' }))
  const mailsFor = async (to: string) => (await harness.mails()).filter((mail) => mail.includes(`To: ${to}`))
  const listed = (mail: string) => mail.match(/order-fulfilment failed, run /g)?.length ?? 0
  const ended = async (id: string, count: number) =>
    waitFor(async () => (await harness.notifications(`?subscription=${id}&status=delivered`)).length === count, {
      timeoutMs: 15_000,
      what: `${count} delivered notifications`,
    })

  it('is collected where its subscription says so: forty failures, one mail', async () => {
    const { id } = await mailTo('collected@example.test', { digest: { every: '1s' } })
    const events = failures(40)
    await harness.emit(...events.slice(0, 25))
    await harness.emit(...events.slice(25))
    await ended(id, 1)
    const [mail = '', ...others] = await mailsFor('collected@example.test')
    expect(others).toEqual([])
    expect(mail).toContain('Subject: [Millrace] 40 notifications')
    const [notification] = await harness.notifications(`?subscription=${id}`)
    const detail = await harness.call('GET', `/notifications/${String(notification?.id)}`)
    expect(detail.body).toMatchObject({ type: 'digest', status: 'delivered', payload: { data: { count: 40 } } })
    await harness.emit(...failures(1))
    await ended(id, 2)
  })

  it('to one person is limited: what comes beyond is collected, and none is lost', async () => {
    const { id } = await mailTo('limited@example.test')
    await harness.emit(...failures(40))
    await ended(id, 6)
    const mails = await mailsFor('limited@example.test')
    expect(mails).toHaveLength(6)
    expect(mails.filter((mail) => mail.includes('Subject: [Millrace] 35 notifications'))).toHaveLength(1)
    expect(mails.map(listed).reduce((a, b) => a + b, 0)).toBeGreaterThanOrEqual(35)
  })

  it('tells of an event once, however often it comes', async () => {
    const { id } = await mailTo('once@example.test', { digest: { every: '1s' } })
    const runId = randomUUID()
    await harness.emit(harness.completed({ status: 'failed', runId }))
    await ended(id, 1)
    await harness.pool.query(
      `insert into events.log (event_id, topic, key, subject, source, sequence, data)
       select event_id, topic, key, subject, source, sequence, data from events.log, generate_series(1, 3) where key = $1`,
      [runId],
    )
    await harness.emit(...failures(1))
    await ended(id, 2)
    const mails = await mailsFor('once@example.test')
    expect(mails.map((mail) => /Subject: (.*)/.exec(mail)?.[1]?.trim())).toEqual(
      Array(2).fill('[Millrace] 1 notification'),
    )
  })

  it('that waits goes with its subscription', async () => {
    const { id } = await mailTo('gone@example.test', { digest: { every: '1d' } })
    await harness.emit(...failures(2))
    await waitFor(async () => (await harness.notifications(`?subscription=${id}&status=pending`)).length === 1)
    await harness.call('PATCH', `/subscriptions/${id}`, { enabled: false })
    expect(await harness.notifications(`?subscription=${id}`)).toMatchObject([
      { status: 'failed', reason: 'subscription_disabled' },
    ])
    expect((await harness.pool.query('select 1 from digest_items where subscription_id = $1', [id])).rows).toEqual([])
  })

  it.each([
    [{ type: 'email', to: ['a@example.test'] }, { every: '0s' }],
    [{ type: 'email', to: ['a@example.test'] }, { every: '8d' }],
    [{ type: 'email', to: ['a@example.test'] }, { every: 'often' }],
    [{ type: 'slack', url: 'https://hooks.example/x' }, { every: '15m' }],
  ])('%j with the digest %j is refused', async (channel, digest) => {
    const answer = await harness.call('POST', '/subscriptions', { events: ['workflow.failed'], channel, digest })
    expect([answer.status, answer.body.code]).toEqual([422, 'invalid_digest'])
  })

  it('shows its digest, takes another and none', async () => {
    const { id } = await mailTo('shown@example.test', { digest: { every: '15m' } })
    const change = async (digest: unknown) =>
      (await harness.call('PATCH', `/subscriptions/${id}`, { digest })).body.digest
    expect((await harness.call('GET', `/subscriptions/${id}`)).body.digest).toEqual({ every: '15m' })
    expect(await change({ every: '1d' })).toEqual({ every: '1d' })
    expect(await change(null)).toBeUndefined()
  })
})

describe('events that are read out of others', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create()
  })
  afterAll(() => harness.close())
  const typesSent = () => harness.sink.requests.map(({ body }) => (JSON.parse(body) as Json).type as string).sort()

  it('are told under the name that was asked for, each once', async () => {
    await harness.subscribe({ events: ['workflow.started', 'workflow.completed', 'workflow.failed', 'task.failed'] })
    const runId = '0191f8a0-0000-7000-8000-000000000001'
    const run = { runId, projectId: harness.projectId, workflow: 'w', version: 1, labels: {} }
    const failure = { code: 'x', message: 'no', class: 'user', retryable: true }
    await harness.emit(
      {
        topic: 'workflow.started',
        key: runId,
        data: { ...run, inputJson: '{"planted":1}', createdAt: '2025-01-01T00:00:00.000Z' },
      },
      {
        topic: 'task.dead-lettered',
        key: runId,
        data: { ...run, taskId: runId, key: 'a', index: -1, attempt: 3, error: failure },
      },
      harness.completed({ runId, status: 'failed', error: failure }),
      harness.completed({ status: 'succeeded' }),
    )
    const expected = ['task.failed', 'workflow.completed', 'workflow.completed', 'workflow.failed', 'workflow.started']
    await waitFor(() => typesSent().length >= expected.length)
    expect(typesSent()).toEqual(expected)
    const started = harness.sink.requests.find(({ body }) => body.includes('workflow.started'))
    expect(JSON.parse(started?.body ?? '')).toMatchObject({ data: { runId, workflow: 'w', status: 'queued' } })
    expect(started?.body).not.toContain('planted')
  })
})

describe('events about runs that are late, schedules, workers and queues', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create()
  })
  afterAll(() => harness.close())
  afterEach(() => harness.removeSubscriptions())
  const events = ['run.late', 'schedule.missed', 'worker.lost', 'queue.backlog']
  const emitAll = (workflow: string) => {
    const { projectId } = harness
    const runId = randomUUID()
    const ticks = { firstTick: '2025-01-01T00:00:00.000Z', lastTick: '2025-01-01T01:00:00.000Z' }
    const late = { reason: 'running', status: 'running', expectedMs: 60_000, createdAt: ticks.firstTick }
    return harness.emit(
      { topic: 'run.late', key: runId, data: { runId, projectId, workflow, version: 2, labels: {}, ...late } },
      {
        topic: 'schedule.missed',
        key: projectId,
        data: {
          projectId,
          scheduleId: randomUUID(),
          workflow,
          name: 'nightly',
          reason: 'downtime',
          ...ticks,
          count: 1,
        },
      },
      { topic: 'worker.lost', key: projectId, data: { projectId, name: 'w', workerIds: ['w-1'], tasks: 3, count: 2 } },
      {
        topic: 'queue.backlog',
        key: projectId,
        data: { projectId, queue: 'q', depth: 1200, oldestMs: 9000, count: 1 },
      },
    )
  }

  it('are told, each with its facts', async () => {
    await harness.subscribe({ events })
    await emitAll('order')
    await waitFor(() => harness.sink.requests.length === 4)
    const bodies = harness.sink.requests.map(({ body }) => JSON.parse(body) as Json)
    const dataOf = (type: string) => bodies.find((body) => body.type === type)?.data
    expect(dataOf('run.late')).toMatchObject({ workflow: 'order', version: 2, reason: 'running', expectedMs: 60_000 })
    expect(dataOf('schedule.missed')).toMatchObject({
      workflow: 'order',
      name: 'nightly',
      reason: 'downtime',
      error: null,
    })
    expect(dataOf('worker.lost')).toMatchObject({ name: 'w', workerIds: ['w-1'], tasks: 3, count: 2 })
    expect(dataOf('queue.backlog')).toEqual({
      ...{ projectId: harness.projectId, queue: 'q', depth: 1200, oldestMs: 9000, count: 1 },
    })
  })

  it('are filtered by workflow, which workers and queues have none of; in mails they read plainly', async () => {
    const { id } = await harness.subscribe({
      ...{ events, filter: { workflow: 'wanted' } },
      channel: { type: 'email', to: ['late@example.test'] },
    })
    const all = await harness.subscribe({ events, channel: { type: 'email', to: ['all@example.test'] } })
    await emitAll('other')
    await emitAll('wanted')
    const delivered = async (of: string) => harness.notifications(`?subscription=${of}&status=delivered`)
    await waitFor(async () => (await delivered(all.id)).length === 8 && (await delivered(id)).length === 2)
    expect((await delivered(id)).map(({ type }) => type).sort()).toEqual(['run.late', 'schedule.missed'])
    const subjects = (await harness.mails())
      .filter((mail) => mail.includes('To: all@'))
      .map((mail) => /Subject: \[Millrace\] (.*)/.exec(mail)?.[1]?.trim())
    expect([...new Set(subjects)].sort()).toEqual([
      'Queue q has a backlog',
      'Worker w was lost',
      'other takes longer than expected',
      'other: its schedule was missed',
      'wanted takes longer than expected',
      'wanted: its schedule was missed',
    ])
  })
})

describe('statistics of a subscription', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create({ retryScheduleMs: [10] })
  })
  afterAll(() => harness.close())

  it('count what became of its notifications and how long receivers took', async () => {
    const { id } = await harness.subscribe()
    const read = async () =>
      (await harness.call('GET', `/subscriptions/${id}/statistics`, undefined, { role: 'viewer' })).body
    expect(await read()).toMatchObject({
      notifications: 0,
      attempts: 0,
      lastDeliveredAt: null,
      latencyMs: { p50: null },
    })
    harness.sink.otherwise({ status: 500 })
    await harness.emit(harness.completed())
    await harness.settled(id, 'failed')
    harness.sink.otherwise({ status: 200 })
    await harness.emit(harness.completed(), harness.completed())
    await waitFor(async () => (await read()).delivered === 2)
    expect(await read()).toMatchObject({
      notifications: 3,
      pending: 0,
      failed: 1,
      attempts: 4,
      lastFailedAt: expect.any(String),
    })
    expect((await read()).latencyMs).toMatchObject({ p50: expect.any(Number), p99: expect.any(Number) })
    expect(
      (await harness.call('GET', `/subscriptions/${id}/statistics`, undefined, { projectId: randomUUID() })).status,
    ).toBe(404)
  })
})
