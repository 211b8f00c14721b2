import { eventType, type scheduler } from '@millrace/contracts'
import { isTopic, topics } from '@millrace/events'
import { withTransaction } from '@millrace/postgres'
import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishMissedTicks, watchBacklogs } from '../src/db/alerts.js'
import { deleteRunsById } from '../src/db/retention/delete-runs.js'
import { emptyProject } from '../src/db/retention/projects.js'
import { publishLateRuns } from '../src/db/run-watches.js'
import { progressStore } from '../src/db/task-progress.js'
import { Harness, projectId, type Result, TestWorker } from './support/harness.js'
import { each } from './support/map-harness.js'

/** Other services write them, and the relay derives `task.scheduled`: both by `encodeData`, which refuses what breaks the contract. */
const ofOthers = [
  ...['workflow.started', 'workflow.deleted', 'task.scheduled', 'notification.delivered', 'notification.failed'],
  ...['artifact.created', 'project.deleted', 'retention.changed', 'audit.recorded'],
]
const published = Object.keys(topics).filter((topic) => !ofOthers.includes(topic))

interface Logged {
  topic: string
  source: string
  data: Record<string, unknown>
}

type MessageType = ReturnType<typeof eventType>

/** Names that the message does not have, also inside of its parts. */
function unknownIn(type: MessageType, data: object): string[] {
  return Object.entries(data).flatMap(([name, value]) => {
    const field = type.fields[name]?.resolve()
    if (!field) return [`${type.name}.${name}`]
    const part = field.resolvedType
    if (field.map || part === null || !('fields' in part) || typeof value !== 'object' || value === null) return []
    return unknownIn(part, value)
  })
}

/** What is wrong with the data, if anything. Consumers ignore unknown fields; the producer of the contract sends none. */
function faultOf({ topic, data }: Logged): string | null {
  if (!isTopic(topic)) return `there is no topic ${topic}`
  const type = eventType(topics[topic].message)
  const unknown = unknownIn(type, data)
  if (unknown.length > 0) return `${topic}: there is no ${unknown.join(', ')}`
  const missing = topics[topic].required.filter((name) => !data[name])
  if (missing.length > 0) return `${topic} lacks ${missing.join(', ')}`
  const fault = type.verify(data)
  return fault === null ? null : `${topic}: ${fault}`
}

describe('what the scheduler publishes', () => {
  let harness: Harness
  let worker: TestWorker
  const handedBack = new Set<string>()

  beforeAll(async () => {
    harness = await Harness.start()
    const work = async (lease: scheduler.Lease__Output): Promise<Result> => {
      if (lease.uses === 'fail.a' || (lease.uses === 'map.a' && lease.index === 1)) {
        return { error: { class: 'unknown', retryable: false } }
      }
      return { output: { n: 1.5 } }
    }
    worker = await new TestWorker(harness.dispatch(), work).start(['ok.a', 'fail.a', 'map.a'])
  })
  afterAll(async () => {
    await worker?.stop()
    await harness?.stop()
  })

  async function handBackOnce(): Promise<string> {
    const client = harness.dispatch()
    const made = await client.register({ name: 'hand', executors: ['back.a'], queues: [], concurrency: 1 })
    const session = { id: made.sessionId, secret: made.sessionSecret }
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'back.a' } } }))
    const { leases } = await client.leaseTasks({ session, max: 1, waitMs: 10_000 })
    for (const { taskId, token, leaseId } of leases) {
      handedBack.add(taskId)
      const result = { taskId, runId, token, leaseId, outcome: 'OUTCOME_HANDED_BACK' as const }
      await client.reportResults({ session, results: [result] })
    }
    await harness.internal().cancelRun({ runId, projectId, reason: 'done' })
    return runId
  }

  async function approved(): Promise<string> {
    const tasks = { a: { uses: 'ok.a' }, b: { uses: 'approval', needs: ['a'], with: { message: 'go?' } } }
    const runId = await harness.one(harness.define({ tasks }))
    await waitFor(async () => (await harness.events('approval.requested', runId)).length === 1, { timeoutMs: 15_000 })
    const decision = { runId, projectId, key: 'b', approve: true, by: 'user:test', role: 'owner', comment: '' }
    await harness.internal().decideApproval(decision)
    return runId
  }

  /** A worker that says how far it is, and dies. */
  async function loseWorker(): Promise<void> {
    const client = harness.dispatch()
    const made = await client.register({ name: 'mortal', executors: ['lost.a'], queues: [], concurrency: 1 })
    const session = { id: made.sessionId, secret: made.sessionSecret }
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'lost.a' } } }))
    const lease = await waitFor(async () => (await client.leaseTasks({ session, max: 1, waitMs: 1000 })).leases[0])
    await progressStore(harness.pool).record(session.id, [{ leaseId: lease.leaseId, percent: 50, message: 'half' }])
    await harness.service.workerDied(session.id)
    await harness.internal().cancelRun({ runId, projectId, reason: 'done' })
  }

  /** A run that nobody takes, in a queue that nobody reads, of a schedule that was not kept. */
  async function raiseAlerts(): Promise<void> {
    const runId = await harness.one(harness.define({ expectedDuration: '1h', tasks: { a: { uses: 'never.a' } } }))
    const due = 'update run_watches set due_at = clock_timestamp() where run_id = $1'
    await waitFor(async () => (await harness.pool.query(due, [runId])).rowCount === 1)
    await publishLateRuns(harness.pool, 10)
    await waitFor(async () => (await watchBacklogs(harness.pool, { tasks: 1, waitMs: 600_000 })) > 0)
    const scheduleId = v7()
    await harness.pool.query(
      `insert into schedules (id, project_id, workflow, cron, timezone, catchup, input, paused, created_by, created_at, updated_at)
       values ($1, $2, 'test', '* * * * *', 'UTC', 'skip', '{}', true, 'user:test', now(), now())`,
      [scheduleId, projectId],
    )
    const ticks = { scheduleId, first: new Date(), last: new Date() }
    await publishMissedTicks(harness.pool, [{ ...ticks, reason: 'refused', code: 'not_found', message: 'gone' }])
    await harness.internal().cancelRun({ runId, projectId, reason: 'done' })
  }

  async function deleteThings(runId: string): Promise<void> {
    await withTransaction(harness.pool, (tx) => deleteRunsById(tx, projectId, [runId]))
    await withTransaction(harness.pool, (tx) => emptyProject(tx, v7()))
  }

  test('agrees with the contract of its topic, whichever statement wrote it', async () => {
    const failing = { tasks: { a: { uses: 'fail.a', retry: { maxAttempts: 1 } } } }
    const mapped = { tasks: { m: each({ uses: 'map.a', retry: { maxAttempts: 1 } }) } }
    const runIds = [
      await approved(),
      await harness.one(harness.define(failing)),
      await harness.one(harness.define(mapped), { items: [1, 2] }),
      await handBackOnce(),
    ]
    for (const runId of runIds) await harness.ended(runId)
    await loseWorker()
    await raiseAlerts()
    await deleteThings(runIds[1] ?? '')
    const { rows } = await harness.pool.query<Logged>(
      `select topic, source, data from events.log where topic <> 'workflow.started' order by id`,
    )
    expect(rows.flatMap((row) => faultOf(row) ?? [])).toEqual([])
    expect([...new Set(rows.map(({ topic }) => topic))].sort()).toEqual(published.sort())
  })

  test('says the same of a task and of a map item', async () => {
    const { rows } = await harness.pool.query<Logged>(
      `select topic, source, data from events.log where topic in ('task.completed', 'task.failed', 'task.dead-lettered')`,
    )
    for (const topic of ['task.completed', 'task.failed', 'task.dead-lettered']) {
      const fields = rows.filter((row) => row.topic === topic).map(({ data }) => Object.keys(data).sort().join(' '))
      expect(new Set(fields).size, topic).toBe(1)
    }
    expect(handedBack.size).toBe(1)
  })

  /** A decision's change is published by TypeScript; what is leased from the queue or handed back, by SQL. */
  test('says the same of a task in every `task.updated`', async () => {
    const { rows } = await harness.pool.query<Logged>(
      `select data from events.log where topic = 'task.updated' order by id`,
    )
    const facts = (data: Logged['data']) => {
      const { status: _s, attempt: _a, workerId: _w, error: _e, labels: _l, scheduled: _d, ...same } = data
      return JSON.stringify(Object.entries(same).sort(([a], [b]) => (a < b ? -1 : 1)))
    }
    const ofTask = new Map<string, Logged[]>()
    for (const row of rows) ofTask.set(String(row.data.taskId), [...(ofTask.get(String(row.data.taskId)) ?? []), row])
    for (const [taskId, updates] of ofTask) {
      expect(new Set(updates.map(({ data }) => facts(data))), taskId).toHaveLength(1)
      for (const { data } of updates)
        expect(data).toMatchObject({ status: expect.any(String), attempt: expect.any(Number) })
    }
    const statuses = [...handedBack].map((taskId) => ofTask.get(taskId)?.map(({ data }) => data.status))
    expect(statuses).toEqual([expect.arrayContaining(['running', 'queued', 'cancelled'])])
  })
})
