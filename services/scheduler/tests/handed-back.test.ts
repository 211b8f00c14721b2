import type { scheduler } from '@millrace/contracts'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, projectId, resultOf } from './support/harness.js'

type Client = ReturnType<Harness['dispatch']>
type Session = { id: string; secret: string }

describe('leases that are handed back', () => {
  let harness: Harness
  let client: Client
  beforeAll(async () => {
    harness = await Harness.start()
    client = harness.dispatch()
  })
  afterAll(() => harness?.stop())

  async function register(executor: string): Promise<Session> {
    const answer = await client.register({ name: 'hand', executors: [executor], queues: [], concurrency: 10 })
    return { id: answer.sessionId, secret: answer.sessionSecret }
  }

  async function lease(session: Session, max = 1): Promise<scheduler.Lease__Output[]> {
    return waitFor(async () => {
      const { leases } = await client.leaseTasks({ session, max, waitMs: 2000 })
      if (leases.length === 0) throw new Error('nothing leased')
      return leases
    })
  }

  async function leaseOne(session: Session): Promise<scheduler.Lease__Output> {
    const [first] = await lease(session)
    if (!first) throw new Error('nothing leased')
    return first
  }

  test('keep their places before what was queued later', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'back.order' } } })
    const early = await harness.request(versionId, 2)
    const session = await register('back.order')
    const held: scheduler.Lease__Output[] = []
    while (held.length < 2) held.push(...(await lease(session, 2 - held.length)))
    const late = await harness.one(versionId)
    await waitFor(async () => {
      const { rowCount } = await harness.pool.query('select 1 from task_queue where run_id = $1', [late])
      return rowCount === 1
    })
    const results = held.map(({ taskId, runId, leaseId, token }) => ({
      ...{ taskId, runId, leaseId, token, outcome: 'OUTCOME_HANDED_BACK' as const },
    }))
    const reply = await client.reportResults({ session, results: [...results, { ...results[0], leaseId: late }] })
    expect(reply.verdicts).toEqual(['VERDICT_ACCEPTED', 'VERDICT_ACCEPTED', 'VERDICT_STALE'])
    const again = [...(await lease(session, 1)), ...(await lease(session, 1))]
    expect(again.map(({ runId }) => runId).sort()).toEqual([...early].sort())
    const last = await leaseOne(session)
    await client.reportResults({ session, results: [...again, last].map((one) => resultOf(one, {})) })
    for (const runId of [...early, late]) expect((await harness.ended(runId)).run?.status).toBe('succeeded')
  })

  test('end with their run when it is being cancelled, and are not queued', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'back.stop' } } }))
    const session = await register('back.stop')
    const { taskId, leaseId, token } = await leaseOne(session)
    await harness.internal().cancelRun({ runId, projectId, reason: '' })
    const back = { taskId, runId, leaseId, token, outcome: 'OUTCOME_HANDED_BACK' as const }
    const { verdicts } = await client.reportResults({ session, results: [back] })
    expect(verdicts).toEqual(['VERDICT_ACCEPTED'])
    const { run, tasks } = await harness.ended(runId)
    expect([run?.status, tasks[0]?.status, tasks[0]?.error?.code]).toEqual(['cancelled', 'cancelled', 'cancelled'])
    const updates = await harness.events('task.updated', runId)
    expect(updates.map(({ status }) => status).filter((status) => status === 'queued').length).toBeLessThanOrEqual(1)
    expect((await client.reportResults({ session, results: [back] })).verdicts).toEqual(['VERDICT_STALE'])
  })
})
