import type { scheduler } from '@millrace/contracts'
import { metricsText } from '@millrace/telemetry'
import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SchedulerService } from '../src/server.js'
import { Harness, projectId, resultOf } from './support/harness.js'

type Client = ReturnType<Harness['dispatch']>
type Session = { id: string; secret: string }

/** Two replicas on one database: what one is told, the other obeys. */
describe('workers as people see and control them', () => {
  let harness: Harness
  let other: SchedulerService
  let here: Client
  let there: Client
  beforeAll(async () => {
    // Nobody beats here: a session must outlast a test on a busy machine.
    harness = await Harness.start({}, 120_000)
    other = await harness.startScheduler({}, 120_000)
    here = harness.dispatch()
    there = harness.dispatch(other)
  })
  afterAll(() => harness?.stop())

  async function register(executor: string, more: object = {}) {
    const answer = await here.register({ name: 'hand', executors: [executor], queues: [], concurrency: 10, ...more })
    const session: Session = { id: answer.sessionId, secret: answer.sessionSecret }
    return { session, id: answer.workerId }
  }

  const command = (id: string, what: string, service = harness.service) =>
    harness.control(service).commandWorker({ id, projectId, withShared: true, command: what, requester })
  const requester = { subject: 'user:op', ip: '127.0.0.1', requestId: 'r-1' }

  const find = async (id: string) =>
    (await harness.control().listWorkers({ projectId, withShared: true, limit: 200 })).workers.find((w) => w.id === id)

  /** What a worker hears on its stream, as words. */
  function hear(client: Client, session: Session) {
    const heard: string[] = []
    const closing = new AbortController()
    const done = (async () => {
      for await (const message of client.commands({ session }, { signal: closing.signal })) {
        heard.push(message.command === 'cancel' ? `cancel ${message.cancel?.taskId}` : (message.command ?? ''))
      }
    })().catch(() => undefined)
    const close = () => {
      closing.abort()
      return done
    }
    return { heard, close }
  }

  async function leaseOne(client: Client, session: Session): Promise<scheduler.Lease__Output> {
    return waitFor(async () => (await client.leaseTasks({ session, max: 1, waitMs: 1000 })).leases[0])
  }

  test('are listed with what they do; a paused one gets nothing from any replica, and what it runs goes on', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'pause.a' } } })
    const worker = await register('pause.a', { version: '1.2.3', sdk: 'test-sdk' })
    const first = await harness.one(versionId)
    const held = await leaseOne(here, worker.session)
    expect(await find(worker.id)).toMatchObject({
      ...{ name: 'hand', state: 'active', shared: true, queues: ['default'], executors: ['pause.a'] },
      ...{ concurrency: 10, running: 1, sdk: 'test-sdk', version: '1.2.3', lastSeenAt: expect.stringMatching(/Z$/) },
    })
    const [near, far] = [hear(here, worker.session), hear(there, worker.session)]
    await waitFor(() => near.heard.length === 1 && far.heard.length === 1)
    expect([near.heard, far.heard]).toEqual([['resume'], ['resume']])

    // A poll that waits already must not be matched either.
    const waiting = [here, there].map((client) => client.leaseTasks({ session: worker.session, max: 5, waitMs: 2500 }))
    const paused = await command(worker.id, 'pause')
    expect(paused.worker?.state).toBe('paused')
    await waitFor(() => near.heard.at(-1) === 'pause' && far.heard.at(-1) === 'pause')
    const second = await harness.one(versionId)
    await waitFor(async () => (await harness.run(second)).tasks[0]?.status === 'queued')
    const again = [here, there].map((client) => client.leaseTasks({ session: worker.session, max: 5, waitMs: 300 }))
    const reply = await here.reportResults({ session: worker.session, results: [resultOf(held, {})], want: 5 })
    expect(reply).toMatchObject({ verdicts: ['VERDICT_ACCEPTED'], leases: [] })
    for (const answer of await Promise.all([...waiting, ...again])) expect(answer.leases).toEqual([])
    expect((await harness.ended(first)).run?.status).toBe('succeeded')
    const { tasks } = await harness.internal().explainRun({ runId: second, projectId })
    expect(tasks[0]?.blockers).toEqual([{ kind: 'worker_paused', detail: expect.stringContaining('paused') }])

    // A stream that opens later is told how things stand.
    await far.close()
    const reopened = hear(there, worker.session)
    await waitFor(() => reopened.heard.length > 0)
    expect(reopened.heard).toEqual(['pause'])

    await command(worker.id, 'resume', other)
    await waitFor(() => near.heard.at(-1) === 'resume')
    const lease = await leaseOne(here, worker.session)
    expect(lease.runId).toBe(second)
    await here.reportResults({ session: worker.session, results: [resultOf(lease, {})] })
    await Promise.all([near.close(), reopened.close()])
    const deeds = await harness.events('audit.recorded')
    expect(deeds.map(({ action, target }) => [action, target])).toEqual(
      expect.arrayContaining([
        ['worker.paused', `worker:${worker.id}`],
        ['worker.resumed', `worker:${worker.id}`],
      ]),
    )
  })

  test('a draining one gets nothing more, cannot be resumed, and is gone when it deregisters', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'drain.a' } } }))
    const worker = await register('drain.a')
    const held = await leaseOne(here, worker.session)
    const stream = hear(there, worker.session)
    expect((await command(worker.id, 'drain')).worker?.state).toBe('draining')
    await waitFor(() => stream.heard.at(-1) === 'drain')
    await expect(command(worker.id, 'resume')).rejects.toMatchObject({ reason: 'worker_draining' })
    await there.deregister({ session: worker.session })
    expect(await find(worker.id)).toBeUndefined()
    await expect(there.leaseTasks({ session: worker.session, max: 1, waitMs: 100 })).rejects.toMatchObject({
      reason: 'session_ended',
    })
    // What it still held went back, and counts as no loss.
    const row = await harness.pool.query('select status, losses, token from tasks where id = $1', [held.taskId])
    expect(row.rows[0]).toMatchObject({ status: 'queued', losses: 0 })
    const next = await register('drain.a')
    const lease = await leaseOne(there, next.session)
    expect(lease).toMatchObject({ taskId: held.taskId, attempt: 1 })
    await there.reportResults({ session: next.session, results: [resultOf(lease, {})] })
    await harness.ended(runId)
    await stream.close()
  })

  test("belong to their project: others neither see nor control them; the platform's own are for its admins", async () => {
    const worker = await register('walls.a')
    const stranger = v7()
    const control = harness.control()
    const seen = await control.listWorkers({ projectId: stranger, withShared: false, limit: 200 })
    expect(seen.workers).toEqual([])
    for (const who of [{ projectId }, { projectId: stranger }]) {
      await expect(control.commandWorker({ id: worker.id, ...who, command: 'drain' })).rejects.toMatchObject({
        reason: 'worker_not_found',
      })
    }
    await harness.pool.query('update sessions set project_id = $2 where id = $1', [worker.session.id, projectId])
    expect((await control.listWorkers({ projectId, limit: 200 })).workers.map(({ id }) => id)).toEqual([worker.id])
    const sharedToo = await control.listWorkers({ projectId: stranger, withShared: true, limit: 200 })
    expect(sharedToo.workers.map(({ id }) => id)).not.toContain(worker.id)
    await expect(command('no-such-worker', 'pause')).rejects.toMatchObject({ reason: 'worker_not_found' })
    await expect(command(worker.id, 'explode')).rejects.toMatchObject({ code: 'unprocessable' })
    await waitFor(async () => /millrace_scheduler_workers\{state="active"\} [1-9]/.test(await metricsText()), {
      timeoutMs: 15_000,
    })
  })

  test('what a worker was told on its own port is true here too, and outlives its session', async () => {
    const worker = await register('state.a')
    await here.heartbeat({ session: worker.session, held: [], requestedState: 'paused' })
    expect((await find(worker.id))?.state).toBe('paused')
    await there.heartbeat({ session: worker.session, held: [], requestedState: 'active' })
    expect((await find(worker.id))?.state).toBe('active')
    const reborn = await register('state.a', { paused: true })
    expect((await find(reborn.id))?.state).toBe('paused')
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'state.a' } } }))
    await here.deregister({ session: worker.session })
    await waitFor(async () => (await harness.run(runId)).tasks[0]?.status === 'queued')
    expect((await there.leaseTasks({ session: reborn.session, max: 1, waitMs: 300 })).leases).toEqual([])
    await command(reborn.id, 'resume')
    expect((await leaseOne(there, reborn.session)).runId).toBe(runId)
  })

  test('a cancel decided by one replica reaches at once a worker whose stream is on the other', async () => {
    const worker = await register('far.a')
    const stream = hear(there, worker.session)
    await waitFor(() => stream.heard.length === 1)
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'far.a' } } }))
    const lease = await leaseOne(there, worker.session)
    await harness.internal(harness.service).cancelRun({ runId, projectId })
    await waitFor(() => stream.heard.includes(`cancel ${lease.taskId}`), { timeoutMs: 1400 })
    const error = { class: 'cancelled', message: 'stopped', retryable: false }
    const reply = await there.reportResults({ session: worker.session, results: [resultOf(lease, { error })] })
    expect(reply.verdicts).toEqual(['VERDICT_ACCEPTED'])
    expect((await harness.ended(runId)).run?.status).toBe('cancelled')
    await stream.close()
    expect(await metricsText()).toMatch(
      /millrace_scheduler_worker_commands_total\{command="cancel",way="(hint|poll)"\} [1-9]/,
    )
  })

  test('a cancel whose worker had no stream is told when it opens one', async () => {
    const worker = await register('late.a')
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'late.a' } } }))
    const lease = await leaseOne(here, worker.session)
    await harness.internal().cancelRun({ runId, projectId })
    const stream = hear(there, worker.session)
    await waitFor(() => stream.heard.includes(`cancel ${lease.taskId}`), { timeoutMs: 1400 })
    await stream.close()
    await harness.ended(runId)
  })
})

describe('a worker that falls silent', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.start({}, 1000)
  })
  afterAll(() => harness?.stop())

  test('is lost: it is shown as such, its task runs elsewhere in time, and that time is measured', async () => {
    const client = harness.dispatch()
    const make = (name: string) => client.register({ name, executors: ['lost.a'], queues: [], concurrency: 1 })
    const dead = await make('dead')
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'lost.a' } } }))
    const session = { id: dead.sessionId, secret: dead.sessionSecret }
    await waitFor(async () => (await client.leaseTasks({ session, max: 1, waitMs: 1000 })).leases[0])
    const diedAt = performance.now()
    const heir = await make('heir')
    const own = { id: heir.sessionId, secret: heir.sessionSecret }
    const beating = setInterval(() => void client.heartbeat({ session: own, held: [] }).catch(() => undefined), 200)
    try {
      const lease = await waitFor(
        async () => (await client.leaseTasks({ session: own, max: 1, waitMs: 1000 })).leases[0],
      )
      expect(performance.now() - diedAt).toBeLessThan(10_000)
      await client.reportResults({ session: own, results: [resultOf(lease, {})] })
    } finally {
      clearInterval(beating)
    }
    await harness.ended(runId)
    const control = harness.control()
    const { workers } = await control.listWorkers({ projectId, withShared: true, limit: 10, state: 'lost' })
    expect(workers).toMatchObject([{ id: dead.workerId, state: 'lost', running: 0 }])
    await expect(
      control.commandWorker({ id: dead.workerId, projectId, withShared: true, command: 'pause' }),
    ).rejects.toMatchObject({ reason: 'worker_lost' })
    expect(await metricsText()).toMatch(/millrace_scheduler_lost_worker_seconds_count [1-9]/)
  })
})
