import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { watchBacklogs } from '../src/db/alerts.js'
import { publishLateRuns } from '../src/db/run-watches.js'
import { Harness, projectId } from './support/harness.js'

interface Late {
  runId: string
  reason: string
  status: string
  labels: Record<string, string>
}

/** Two replicas on one database: what both see is told once. */
describe('what nobody reports is found and told once', () => {
  let harness: Harness
  beforeAll(async () => {
    const backlog = { tasks: 40, waitMs: 600_000 }
    harness = await Harness.start({}, 6000, undefined, { backlog })
    await harness.startScheduler({}, 6000, {}, { backlog })
  })
  afterAll(() => harness?.stop())

  const logged = async <T>(topic: string) =>
    (
      await harness.pool.query<{ data: T }>('select data from events.log where topic = $1 order by id', [topic])
    ).rows.map((row) => row.data)
  const late = async (runId: string) => (await logged<Late>('run.late')).filter((event) => event.runId === runId)
  const define = (uses: string, expectedDuration: string) =>
    harness.define({ expectedDuration, tasks: { a: { uses } } })
  const watch = async (runId: string) =>
    (
      await harness.pool.query<{ due_at: Date | null; start_told: boolean }>(
        'select due_at, start_told from run_watches where run_id = $1',
        [runId],
      )
    ).rows[0]

  async function register(executor: string, name = 'hand') {
    const client = harness.dispatch()
    const made = await client.register({ name, executors: [executor], queues: [], concurrency: 100 })
    return { client, id: made.workerId, session: { id: made.sessionId, secret: made.sessionSecret } }
  }

  test('a run that nobody starts, and the same run when it takes too long', async () => {
    const runId = await harness.one(define('late.a', '1s'))
    await waitFor(async () => (await late(runId)).length === 1, { timeoutMs: 15_000 })
    expect(await late(runId)).toMatchObject([{ reason: 'not_started', status: 'running', labels: { team: 'mill' } }])
    const { client, session } = await register('late.a')
    await waitFor(async () => (await client.leaseTasks({ session, max: 1, waitMs: 1000 })).leases[0])
    const beat = setInterval(() => void client.heartbeat({ session, held: [] }).catch(() => undefined), 1000)
    await waitFor(async () => (await late(runId)).length === 2, { timeoutMs: 15_000 })
    clearInterval(beat)
    expect((await late(runId)).map(({ reason }) => reason)).toEqual(['not_started', 'running'])
    expect(await watch(runId)).toMatchObject({ due_at: null })
    expect((await harness.run(runId)).run?.expectedDuration).toBe('1s')
    // The event that created the run comes again: nothing is told twice.
    await harness.request([...harness.definitions.keys()].at(-1) ?? '', 1, undefined, [runId])
    await harness.pool.query(`update run_watches set due_at = due_at where run_id = $1`, [runId])
    await publishLateRuns(harness.pool, 100)
    expect(await late(runId)).toHaveLength(2)
  })

  test('not a run that is on hold, and not one that ended in time', async () => {
    const [held = ''] = await harness.request(define('never.a', '1s'), 1, undefined, undefined, { hold: true })
    const begun = await waitFor(() => watch(held))
    await waitFor(async () => Number((await watch(held))?.due_at) > Number(begun.due_at), { timeoutMs: 15_000 })
    const [short = ''] = await harness.request(define('noop', '1s'))
    await waitFor(() => watch(short))
    await harness.internal().cancelRun({ runId: short, projectId, reason: 'over' })
    await harness.ended(short)
    await waitFor(async () => (await watch(short))?.due_at === null, { timeoutMs: 15_000 })
    expect([...(await late(held)), ...(await late(short))]).toEqual([])
  })

  test('many late runs by many lookers: each once', async () => {
    const ids = await harness.request(define('never.b', '1h'), 100)
    await waitFor(async () => (await Promise.all(ids.map(watch))).every(Boolean), { timeoutMs: 20_000 })
    await harness.pool.query(`update run_watches set due_at = clock_timestamp() where run_id = any($1::uuid[])`, [ids])
    await Promise.all(Array.from({ length: 8 }, () => publishLateRuns(harness.pool, 20)))
    await waitFor(async () => (await Promise.all(ids.map(late))).every((events) => events.length > 0))
    expect((await Promise.all(ids.map(late))).map((events) => events.length)).toEqual(ids.map(() => 1))
  })

  test('a worker that dies, to the project whose tasks it held, with what happened since', async () => {
    const lost = async () => (await logged<Record<string, unknown>>('worker.lost')).filter((e) => e.name === 'mortal')
    const die = async () => {
      const runId = await harness.one(harness.define({ tasks: { a: { uses: 'mortal.a' } } }))
      const { client, session, id } = await register('mortal.a', 'mortal')
      await waitFor(async () => (await client.leaseTasks({ session, max: 1, waitMs: 1000 })).leases[0])
      await Promise.all([harness.service.workerDied(session.id), harness.service.workerDied(session.id)])
      await harness.internal().cancelRun({ runId, projectId, reason: 'done' })
      return id
    }
    const first = await die()
    await waitFor(async () => (await lost()).length === 1)
    expect(await lost()).toEqual([{ projectId, name: 'mortal', shared: true, tasks: 1, workerIds: [first], count: 1 }])
    await die()
    await die()
    expect(await lost()).toHaveLength(1)
    await harness.pool.query(`update alert_limits set at = at - interval '6 minutes'`)
    await die()
    expect((await lost()).at(-1)).toMatchObject({ name: 'mortal', count: 3 })
  })

  test('a worker that leaves, or dies idle and belongs to all, is not told of', async () => {
    const { client, session } = await register('calm.a', 'calm')
    await client.deregister({ session })
    const idle = await register('calm.a', 'idle')
    await harness.service.workerDied(idle.session.id)
    const lost = (await logged<{ name: string }>('worker.lost')).filter(
      ({ name }) => name === 'calm' || name === 'idle',
    )
    expect(lost).toEqual([])
  })

  test('a queue that grows, until it has shrunk; not while it is paused', { timeout: 180_000 }, async () => {
    const terms = { tasks: 40, waitMs: 600_000 }
    const backlogs = async () =>
      (await logged<Record<string, unknown>>('queue.backlog')).filter((event) => event.queue === 'slow')
    const versionId = harness.define({ tasks: { a: { uses: 'slow.a', queue: 'slow' } } })
    const ids = await harness.request(versionId, 50)
    await waitFor(async () => (await backlogs()).length > 0, { timeoutMs: 60_000 })
    await Promise.all(Array.from({ length: 4 }, () => watchBacklogs(harness.pool, terms)))
    expect(await backlogs()).toMatchObject([{ projectId, queue: 'slow', count: 1 }])
    expect((await backlogs())[0]?.depth).toBeGreaterThanOrEqual(40)
    for (const runId of ids.slice(0, 20)) await harness.internal().cancelRun({ runId, projectId, reason: 'less' })
    await watchBacklogs(harness.pool, terms)
    const known = () => harness.pool.query(`select 1 from queue_backlogs where queue = 'slow'`)
    expect((await known()).rowCount).toBe(1)
    for (const runId of ids.slice(20, 40)) await harness.internal().cancelRun({ runId, projectId, reason: 'less' })
    await waitFor(async () => (await watchBacklogs(harness.pool, terms)) >= 0 && (await known()).rowCount === 0)
    await harness.pool.query(`insert into queues (project_id, name, paused) values ($1, 'slow', true)`, [projectId])
    await harness.request(versionId, 50)
    const waiting = async () =>
      (await harness.pool.query(`select 1 from task_queue where queue = 'slow'`)).rowCount ?? 0
    await waitFor(async () => (await waiting()) >= 50, { timeoutMs: 20_000 })
    await watchBacklogs(harness.pool, terms)
    expect([(await known()).rowCount, (await backlogs()).length]).toEqual([0, 1])
  })
})
