import { eventType, type scheduler } from '@millrace/contracts'
import { isTopic, topics } from '@millrace/events'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, projectId, type Result, TestWorker } from './support/harness.js'
import { each } from './support/map-harness.js'

const published = [
  'approval.requested',
  'task.completed',
  'task.dead-lettered',
  'task.failed',
  'task.updated',
  'workflow.completed',
  'workflow.updated',
]

interface Logged {
  topic: string
  source: string
  data: Record<string, unknown>
}

/** What is wrong with the data, if anything. Consumers ignore unknown fields; the producer of the contract sends none. */
function faultOf({ topic, data }: Logged): string | null {
  if (!isTopic(topic)) return `there is no topic ${topic}`
  const type = eventType(topics[topic].message)
  const unknown = Object.keys(data).filter((name) => type.fields[name] === undefined)
  if (unknown.length > 0) return `${topic} has no field ${unknown.join(', ')}`
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
    const { rows } = await harness.pool.query<Logged>(
      `select topic, source, data from events.log where topic <> 'workflow.started' order by id`,
    )
    expect(rows.flatMap((row) => faultOf(row) ?? [])).toEqual([])
    expect([...new Set(rows.map(({ topic }) => topic))].sort()).toEqual(published)
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
})
