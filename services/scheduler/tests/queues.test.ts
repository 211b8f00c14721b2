import type { scheduler } from '@millrace/contracts'
import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SchedulerService } from '../src/server.js'
import { Harness, projectId, resultOf, TestWorker } from './support/harness.js'

type Client = ReturnType<Harness['dispatch']>
type Session = { id: string; secret: string }

/** Two replicas on one database: what one is told, the other obeys. */
describe('queues as people see and control them', () => {
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

  async function register(executor: string, queues: string[]): Promise<Session & { workerId: string }> {
    const answer = await here.register({ name: 'hand', executors: [executor], queues, concurrency: 10 })
    return { id: answer.sessionId, secret: answer.sessionSecret, workerId: answer.workerId }
  }

  const lease = async (client: Client, { id, secret }: Session, waitMs = 300, max = 10) =>
    (await client.leaseTasks({ session: { id, secret }, max, waitMs })).leases

  const update = (name: string, change: object, service = harness.service) =>
    harness.control(service).updateQueue({ projectId, name, ...change })

  const find = async (name: string, project = projectId) => {
    const { queues } = await harness.control().listQueues({ projectId: project, withShared: true, limit: 200 })
    return queues.find((queue) => queue.name === name)
  }

  const queuedCount = async (queue: string): Promise<number> =>
    (await harness.pool.query('select count(*)::int as n from task_queue where queue = $1', [queue])).rows[0].n

  test('a paused queue hands out nothing: no dequeue, no match, no reply, on no replica', async () => {
    const session = await register('held.fn', ['held'])
    const busy = harness.define({ tasks: { a: { uses: 'held.fn', queue: 'held' } } })
    await harness.one(busy)
    const [held] = await waitFor(async () => {
      const leases = await lease(here, session)
      return leases.length > 0 ? leases : undefined
    })
    const waiting = [here, there].map((client) => lease(client, session, 2000))
    const paused = await update('held', { paused: true, withShared: true }, other)
    expect(paused.queue).toMatchObject({ name: 'held', paused: true, running: 1, workers: [session.workerId] })
    const next = await harness.one(busy)
    await waitFor(async () => (await harness.run(next)).tasks[0]?.status === 'queued')
    const { tasks } = await harness.internal().explainRun({ runId: next, projectId })
    expect(tasks[0]?.blockers).toEqual([{ kind: 'queue_paused', detail: 'the queue held is paused' }])
    if (!held) throw new Error('nothing leased')
    const reply = await here.reportResults({ session, results: [resultOf(held, {})], want: 5 })
    expect(reply).toMatchObject({ verdicts: ['VERDICT_ACCEPTED'], leases: [] })
    for (const leases of await Promise.all([...waiting, lease(here, session), lease(there, session)])) {
      expect(leases).toEqual([])
    }
    expect(await find('held')).toMatchObject({ paused: true, depth: 1, running: 0, parked: 0 })
    expect((await find('held'))?.oldestAgeMs).toBeGreaterThan(0)
    const polling = lease(there, session, 5000)
    await update('held', { paused: false })
    expect((await polling).map(({ runId }) => runId)).toEqual([next])
    await update('held', { paused: true, requester: { subject: 'user:op' } })
    await update('held', { weight: 2, requester: { subject: 'user:op' } })
    const deeds = (await harness.events('audit.recorded')).filter(({ target }) => target === 'queue:held')
    expect(deeds.map(({ action }) => action)).toEqual([
      'queue.paused',
      'queue.resumed',
      'queue.paused',
      'queue.updated',
    ])
  })

  test('pauses of queues and workers are obeyed from the rows, also by a replica that has not heard of them', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'rows.fn', queue: 'rows' } } })
    const runId = await harness.one(versionId)
    await waitFor(async () => (await queuedCount('rows')) === 1)
    const session = await register('rows.fn', ['rows'])
    const settle = (sql: string) => harness.pool.query(sql)
    // Without raising the version, so that no replica reads them into its memory.
    await settle(`insert into queues (project_id, name, paused) values ('${projectId}', 'rows', true)`)
    expect(await lease(here, session)).toEqual([])
    await settle(`delete from queues where name = 'rows'`)
    await settle(`update sessions set state = 'paused' where id = '${session.id}'`)
    expect(await lease(there, session)).toEqual([])
    await settle(`update sessions set state = 'active' where id = '${session.id}'`)
    const leases = await waitFor(async () => {
      const found = await lease(there, session, 1000)
      return found.length > 0 ? found : undefined
    })
    expect(leases.map((one) => one.runId)).toEqual([runId])
  })

  test('settings are kept field by field, taken away by name, and belong to the project', async () => {
    const defaults = { retry: { maxAttempts: 7 }, timeout: '5s' }
    await update('kept', {
      ...{ concurrency: 3, rateLimit: { limit: 10, perMs: 1000 }, weight: 2.5, profile: 'batch' },
      defaultsJson: JSON.stringify(defaults),
    })
    const { queue } = await update('kept', { concurrency: 4 })
    expect(queue).toMatchObject({
      ...{ concurrency: 4, rateLimit: { limit: 10, perMs: 1000 }, weight: 2.5, profile: 'batch', paused: false },
      updatedAt: expect.stringMatching(/Z$/),
    })
    expect(JSON.parse(queue?.defaultsJson ?? '')).toEqual(defaults)
    const cleared = await update('kept', { clear: ['concurrency', 'rate_limit', 'weight', 'profile', 'defaults'] })
    expect(cleared.queue).toMatchObject({ rateLimit: null, profile: '', defaultsJson: '' })
    expect([cleared.queue?._concurrency, cleared.queue?._weight]).toEqual([undefined, undefined])
    expect(await find('kept', v7())).toBeUndefined()
    expect(await find('default', v7())).toMatchObject({ depth: 0, paused: false })
    for (const wrong of [{ name: '../x' }, { weight: 0 }, { weight: -1 }, { concurrency: 0 }, { profile: 'fast' }]) {
      await expect(update('kept', wrong)).rejects.toMatchObject({ code: 'unprocessable' })
    }
  })

  test("one project's pause does not touch another's queue of the same name", async () => {
    const stranger = v7()
    await harness.control().updateQueue({ projectId: stranger, name: 'twins', paused: true })
    const session = await register('twins.fn', ['twins'])
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'twins.fn', queue: 'twins' } } }))
    const leases = await waitFor(async () => {
      const found = await lease(there, session)
      return found.length > 0 ? found : undefined
    })
    expect(leases.map((one) => one.runId)).toEqual([runId])
  })

  test('weighted queues of a project share its turns by weight; a batch queue goes last', async () => {
    await update('heavy', { weight: 3 })
    await update('light', { weight: 1 })
    await update('night', { profile: 'batch' })
    const define = (queue: string) => harness.define({ tasks: { a: { uses: 'weigh.fn', queue } } })
    const queues = new Map<string, string>()
    for (const queue of ['night', 'light', 'heavy']) {
      for (const id of await harness.request(define(queue), 40)) queues.set(id, queue)
      await waitFor(async () => (await queuedCount(queue)) === 40)
    }
    const worker = await new TestWorker(here, () => ({}), 4).start(['weigh.fn'], ['heavy', 'light', 'night'])
    await waitFor(() => worker.executed.length === 120, { timeoutMs: 30_000 })
    await worker.stop()
    const order = worker.executed.map((one: scheduler.Lease__Output) => queues.get(one.runId))
    const early = order.slice(0, 40)
    const heavy = early.filter((queue) => queue === 'heavy').length
    expect(heavy).toBeGreaterThanOrEqual(26)
    expect(heavy).toBeLessThanOrEqual(34)
    expect(order.slice(0, 80)).not.toContain('night')
  })

  test('tasks of a queue of the profile throughput always pass through the queue', async () => {
    await update('bulk', { profile: 'throughput' })
    const session = await register('bulk.fn', ['bulk', 'swift'])
    await lease(here, session)
    const poll = lease(here, session, 10_000)
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'bulk.fn', queue: 'bulk' } } }))
    expect((await poll).map((one) => one.runId)).toEqual([runId])
    const states = (await harness.events('task.updated', runId)).map(({ status }) => status)
    expect(states).toEqual(['queued', 'running'])
  })

  test('defaults are those of the time a run is created: it keeps them, a later one has the later', async () => {
    const retry = { maxAttempts: 2, backoff: 'fixed', delay: '10ms', jitter: 'none' }
    const set = (defaults: object) => update('tuned', { defaultsJson: JSON.stringify(defaults) })
    await set({ retry, timeout: '7s' })
    const versionId = harness.define({
      tasks: {
        plain: { uses: 'tuned.fn', queue: 'tuned', onFailure: 'continue' },
        own: { uses: 'tuned.fn', queue: 'tuned', timeout: '9s', retry: { maxAttempts: 1 }, onFailure: 'continue' },
        elsewhere: { uses: 'tuned.fn', queue: 'plainq', onFailure: 'continue' },
      },
    })
    const attempts = async (runId: string) => (await harness.run(runId)).tasks.map((task) => task.maxAttempts)
    const created = async (runId: string) => waitFor(async () => (await harness.run(runId).catch(() => undefined))?.run)
    const first = await harness.one(versionId)
    await created(first)
    await set({ retry: { maxAttempts: 9 } })
    // Another replica knows it too, at the latest after its poll.
    const second = await waitFor(
      async () => {
        const runId = await harness.one(versionId)
        await created(runId)
        return (await attempts(runId))[0] === 9 ? runId : undefined
      },
      { timeoutMs: 5000 },
    )
    expect([await attempts(first), await attempts(second)]).toEqual([
      [2, 1, 3],
      [9, 1, 3],
    ])
    const rows = await harness.pool.query('select timeout_ms from tasks where run_id = $1 order by ordinal', [first])
    expect(rows.rows.map((row) => row.timeout_ms)).toEqual([7000, 9000, null])
    // The pinned policy is what retries go by, whatever the queue says meanwhile.
    const fail = () => ({ error: { class: 'user' } })
    const worker = await new TestWorker(here, fail, 5).start(['tuned.fn'], ['tuned'])
    const failed = async () => (await harness.run(first)).tasks.slice(0, 2).every((task) => task.status === 'failed')
    await waitFor(failed, { timeoutMs: 10_000 })
    await worker.stop()
    const tries = worker.executed.filter((one) => one.runId === first).map(({ key, attempt }) => `${key} ${attempt}`)
    expect(tries.sort()).toEqual(['own 1', 'plain 1', 'plain 2'])
  })

  test('a concurrency set while tasks wait and run holds from then on, on both replicas; raised and taken away, too', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'narrow.fn', queue: 'narrow' } } })
    const session = await register('narrow.fn', ['narrow'])
    const proof = { id: session.id, secret: session.secret }
    const held: scheduler.Lease__Output[] = []
    await harness.request(versionId, 10)
    await waitFor(async () => {
      held.push(...(await lease(here, session, 300, 3 - held.length)))
      return held.length === 3
    })
    const beating = setInterval(() => {
      const named = held.map(({ taskId, leaseId }) => ({ taskId, leaseId }))
      void here.heartbeat({ session: proof, held: named }).catch(() => undefined)
    }, 500)
    try {
      await update('narrow', { concurrency: 2 }, other)
      // Three run already: they count, and nothing more starts.
      const used = async () =>
        (await harness.pool.query(`select in_use from slots where scope = 'queue' and key = 'narrow'`)).rows[0]?.in_use
      await waitFor(async () => (await used()) === 3)
      expect(await Promise.all([lease(here, session), lease(there, session)])).toEqual([[], []])
      await waitFor(async () => ((await find('narrow'))?.parked ?? 0) > 0)
      const end = async (count: number, client: Client) => {
        const results = held.splice(0, count).map((one) => resultOf(one, {}))
        const reply = await client.reportResults({ session: proof, results, want: 5 })
        expect(reply.verdicts).toEqual(Array(count).fill('VERDICT_ACCEPTED'))
        held.push(...reply.leases)
      }
      const take = async (count: number) => {
        await waitFor(
          async () => {
            held.push(...(await lease(there, session, 300)))
            return held.length >= count
          },
          { timeoutMs: 10_000 },
        )
        expect(held).toHaveLength(count)
      }
      await end(2, there)
      await take(2)
      expect(await Promise.all([lease(here, session), lease(there, session)])).toEqual([[], []])
      expect(await used()).toBe(2)
      await update('narrow', { concurrency: 4 })
      await take(4)
      expect(await Promise.all([lease(here, session), lease(there, session)])).toEqual([[], []])
      await update('narrow', { clear: ['concurrency'] })
      await take(8)
      await end(8, here)
      await waitFor(async () => (await used()) === 0)
    } finally {
      clearInterval(beating)
    }
  })

  test('a rate of the queue bounds what starts, and what waits for it goes on by itself', async () => {
    await update('paced', { rateLimit: { limit: 2, perMs: 1500 } })
    const versionId = harness.define({ tasks: { a: { uses: 'paced.fn', queue: 'paced' } } })
    const runs = await harness.request(versionId, 5)
    const worker = await new TestWorker(there, () => ({}), 5).start(['paced.fn'], ['paced'])
    await waitFor(() => worker.executed.length === 5, { timeoutMs: 20_000 })
    await worker.stop()
    const started = await harness.pool.query(
      `select extract(epoch from started_at) * 1000 as at from tasks where run_id = any($1::uuid[]) order by 1`,
      [runs],
    )
    const at = started.rows.map((row) => Number(row.at))
    for (let i = 2; i < at.length; i += 1) expect((at[i] ?? 0) - (at[i - 2] ?? 0)).toBeGreaterThanOrEqual(1499)
  })
})
