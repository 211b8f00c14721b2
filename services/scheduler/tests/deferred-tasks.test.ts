import type { scheduler } from '@millrace/contracts'
import { metricsText } from '@millrace/telemetry'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { handBackTasks, requeueLostTasks } from '../src/db/requeue-tasks.js'
import { Harness, projectId, resultOf } from './support/harness.js'

describe('a task that is handed back for a while', () => {
  let harness: Harness
  let client: ReturnType<Harness['dispatch']>
  let session: { id: string; secret: string }
  let beating: NodeJS.Timeout
  const held = new Map<string, scheduler.Lease__Output>()

  beforeAll(async () => {
    harness = await Harness.start({}, 4000)
    client = harness.dispatch()
    const executors = ['hold.a', 'hold.b', 'hold.c', 'hold.d', 'hold.e']
    const { sessionId, sessionSecret } = await client.register({ name: 'hand', executors, queues: [], concurrency: 50 })
    session = { id: sessionId, secret: sessionSecret }
    const beat = () => client.heartbeat({ session, held: [...held.values()] }).catch(() => undefined)
    beating = setInterval(() => void beat(), 500)
  })
  afterAll(async () => {
    clearInterval(beating)
    await harness?.stop()
  })

  async function lease(runId: string): Promise<scheduler.Lease__Output> {
    return waitFor(
      async () => {
        for (const one of [...held.values()]) if (one.runId === runId) return one
        const { leases } = await client.leaseTasks({ session, max: 10, waitMs: 500 })
        for (const one of leases) held.set(one.leaseId, one)
        return leases.find((one) => one.runId === runId)
      },
      { timeoutMs: 15_000 },
    )
  }

  async function handBack(one: scheduler.Lease__Output, retryAfterMs: number): Promise<string[]> {
    const { taskId, runId, leaseId, token } = one
    const result = { taskId, runId, leaseId, token, outcome: 'OUTCOME_HANDED_BACK' as const }
    const handBackReason = 'calls to shop.example:443 fail: the circuit is open'
    const { verdicts } = await client.reportResults({ session, results: [{ ...result, retryAfterMs, handBackReason }] })
    held.delete(leaseId)
    return verdicts
  }

  const explained = async (runId: string) => {
    const { tasks } = await harness.internal().explainRun({ runId, projectId })
    return tasks[0]?.blockers.map(({ kind, detail }) => `${kind}: ${detail}`) ?? []
  }
  const rowsOf = async (table: 'held_back' | 'task_queue', runId: string) =>
    (await harness.pool.query(`select 1 from ${table} where run_id = $1`, [runId])).rowCount

  test('waits, says why, and comes back with no attempt used', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'hold.a' } } }))
    const first = await lease(runId)
    expect(await handBack(first, 3_000)).toEqual(['VERDICT_ACCEPTED'])
    expect((await harness.run(runId)).tasks[0]).toMatchObject({ status: 'queued', attempt: 1 })
    const [why] = await explained(runId)
    expect(why).toMatch(/^circuit_open: calls to shop\.example:443 fail: the circuit is open; tries again at 20/)
    expect([await rowsOf('held_back', runId), await rowsOf('task_queue', runId)]).toEqual([1, 0])
    expect(await handBack(first, 3_000), 'a repeat changes nothing').toEqual(['VERDICT_STALE'])

    const second = await lease(runId)
    expect(second).toMatchObject({ taskId: first.taskId, attempt: 1, idempotencyKey: first.idempotencyKey })
    expect(second.token).toBeGreaterThan(first.token)
    expect(await rowsOf('held_back', runId)).toBe(0)
    await client.reportResults({ session, results: [resultOf(second, { output: 'good' })] })
    expect((await harness.ended(runId)).run?.status).toBe('succeeded')
    expect(await metricsText()).not.toMatch(/millrace_scheduler_reconciled_total\{[^}]*lost_queue_row[^}]*\} [1-9]/)
  })

  test('can be cancelled meanwhile, and is not leased after', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'hold.b' } } }))
    await handBack(await lease(runId), 400)
    await harness.internal().cancelRun({ runId, projectId, reason: '' })
    expect((await harness.ended(runId)).run?.status).toBe('cancelled')
    await waitFor(async () => (await rowsOf('held_back', runId)) === 0)
    expect(await rowsOf('task_queue', runId)).toBe(0)
  })

  test('of a paused run stays out of the queue until the run is resumed', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'hold.c' } } }))
    await handBack(await lease(runId), 300)
    await harness.internal().pauseRun({ runId, projectId })
    await waitFor(async () => (await rowsOf('held_back', runId)) === 0)
    expect(await rowsOf('task_queue', runId)).toBe(0)
    expect(await explained(runId)).toEqual(['run_paused: the run is paused'])
    await harness.internal().resumeRun({ runId, projectId })
    await client.reportResults({ session, results: [resultOf(await lease(runId), { output: 'good' })] })
    expect((await harness.ended(runId)).run?.status).toBe('succeeded')
  })

  test.each([
    ['handed back', (one: scheduler.Lease__Output) => handBackTasks(harness.pool, [one])],
    ['lost', () => requeueLostTasks(harness.pool, 100)],
  ])('%s while its run is being paused, gets no place in the queue', async (_, giveBack) => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'hold.e' } } }))
    const one = await lease(runId)
    held.delete(one.leaseId)
    const pause = await harness.pool.connect()
    try {
      await pause.query('begin')
      await pause.query(`update runs set status = 'paused' where id = $1`, [runId])
      await harness.pool.query('update tasks set session_id = gen_random_uuid() where id = $1', [one.taskId])
      const given = giveBack(one)
      await Promise.race([given, new Promise((resolve) => setTimeout(resolve, 200))])
      await pause.query('commit')
      await given
    } finally {
      await pause.query('rollback')
      pause.release()
    }
    await waitFor(async () => (await harness.run(runId)).tasks[0]?.status === 'queued')
    expect(await rowsOf('task_queue', runId)).toBe(0)
  })

  test('is let back by whichever scheduler lives', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'hold.d' } } }))
    await handBack(await lease(runId), 60_000)
    const other = await harness.startScheduler()
    await harness.pool.query('update held_back set until = clock_timestamp() where run_id = $1', [runId])
    const again = await lease(runId)
    await client.reportResults({ session, results: [resultOf(again, { output: 1 })] })
    await harness.ended(runId)
    await other.stop()
  })
})
