import { setTimeout as sleep } from 'node:timers/promises'
import type { scheduler } from '@millrace/contracts'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, resultOf, TestWorker } from './support/harness.js'

type Client = ReturnType<Harness['dispatch']>
type Session = { id: string; secret: string }

/** Counts what runs at once under each key. */
class Gauge {
  private readonly now = new Map<string, number>()
  readonly most = new Map<string, number>()

  readonly work = async (lease: scheduler.Lease__Output) => {
    const { key } = JSON.parse(lease.inputJson) as { key: string }
    const running = (this.now.get(key) ?? 0) + 1
    this.now.set(key, running)
    this.most.set(key, Math.max(running, this.most.get(key) ?? 0))
    await sleep(5 + Math.random() * 10)
    this.now.set(key, (this.now.get(key) ?? 1) - 1)
    return {}
  }
}

const limited = (more: object, uses = 'custom.fn') => ({
  tasks: { a: { uses, with: { key: '${{ input.key }}' }, ...more } },
})

describe('limits of tasks', () => {
  let harness: Harness
  let client: Client
  beforeAll(async () => {
    harness = await Harness.start({}, 2000)
    client = harness.dispatch()
  })
  afterAll(() => harness?.stop())

  async function register(executor: string): Promise<Session> {
    const answer = await client.register({ name: 'hand', executors: [executor], queues: [], concurrency: 10 })
    return { id: answer.sessionId, secret: answer.sessionSecret }
  }

  async function lease(session: Session, max = 10): Promise<scheduler.Lease__Output[]> {
    return waitFor(
      async () => {
        const { leases } = await client.leaseTasks({ session, max, waitMs: 1000 })
        if (leases.length === 0) throw new Error('nothing leased')
        return leases
      },
      { timeoutMs: 20_000 },
    )
  }

  const inUse = async (key: string): Promise<number> => {
    const { rows } = await harness.pool.query('select in_use from slots where key = $1', [key])
    return rows[0]?.in_use ?? 0
  }
  const parked = async (key: string): Promise<number> => {
    const { rows } = await harness.pool.query(
      'select count(*)::int as n from task_queue where parked_key = $1 or task_id in (select task_id from task_limits where limits::text like $2)',
      [key, `%"${key}"%`],
    )
    return rows[0].n
  }
  const beat = (session: Session, held: scheduler.Lease__Output[] = []) =>
    client.heartbeat({ session, held: held.map(({ taskId, leaseId }) => ({ taskId, leaseId })) })

  test('a limit is never exceeded by two schedulers and two workers under load, and all of it ends', async () => {
    const second = await harness.startScheduler({}, 2000)
    const versionId = harness.define(limited({ concurrency: { limit: 3, key: '${{ input.key }}' } }))
    const gauge = new Gauge()
    const workers = await Promise.all([
      new TestWorker(harness.dispatch(), gauge.work, 10).start(['custom.fn']),
      new TestWorker(harness.dispatch(second), gauge.work, 10).start(['custom.fn']),
    ])
    const one = await harness.request(versionId, 30, { key: 'load-a' })
    const other = await harness.request(versionId, 30, { key: 'load-b' })
    for (const runId of [...one, ...other]) {
      expect((await harness.ended(runId, 60_000)).run?.status).toBe('succeeded')
    }
    await Promise.all(workers.map((worker) => worker.stop()))
    expect([...gauge.most].sort()).toEqual([
      ['load-a', 3],
      ['load-b', 3],
    ])
    expect([await inUse('load-a'), await inUse('load-b')]).toEqual([0, 0])
    const { rows } = await harness.pool.query('select count(*)::int as n from slot_holds')
    expect(rows[0].n).toBe(0)
  })

  test('a slot that comes free is taken without waiting for a poll', async () => {
    const versionId = harness.define(limited({ concurrency: { limit: 1, key: 'chain' } }, 'chain.fn'))
    const runs = await harness.request(versionId, 20, { key: 'chain' })
    const worker = await new TestWorker(harness.dispatch(), () => ({}), 5).start(['chain.fn'])
    for (const runId of runs) await harness.ended(runId, 60_000)
    await worker.stop()
    const { rows } = await harness.pool.query(
      `select percentile_cont(0.5) within group (order by gap) as median from (
        select extract(epoch from started_at - lag(finished_at) over (order by started_at)) * 1000 as gap
        from tasks where uses = 'chain.fn') g`,
    )
    // By the poll alone each would wait for a second.
    expect(rows[0].median).toBeLessThan(700)
    expect(await inUse('chain')).toBe(0)
  })

  test('a task without a key is counted by its own name', async () => {
    const versionId = harness.define(limited({ concurrency: { limit: 2 } }, 'own.fn'))
    await harness.request(versionId, 5, { key: 'x' })
    const session = await register('own.fn')
    const leases = await lease(session)
    while (leases.length < 2) leases.push(...(await lease(session)))
    expect((await client.leaseTasks({ session, max: 10, waitMs: 600 })).leases).toHaveLength(0)
    expect(await inUse('test/a')).toBe(2)
  })

  test('what a silent worker held is given back once, and so is what is handed back', async () => {
    const versionId = harness.define(limited({ concurrency: { limit: 1, key: 'lost' } }, 'lost.fn'))
    await harness.request(versionId, 2, { key: 'lost' })
    const [held] = await lease(await register('lost.fn'))
    expect(await inUse('lost')).toBe(1)
    const alive = await register('lost.fn')
    const beating = setInterval(() => void beat(alive).catch(() => undefined), 250)
    try {
      const [again] = await lease(alive)
      expect(again?.leaseId).not.toBe(held?.leaseId)
      expect(await inUse('lost')).toBe(1)
      if (!again) return
      const { taskId, runId, leaseId, token } = again
      await client.reportResults({
        session: alive,
        results: [{ taskId, runId, leaseId, token, outcome: 'OUTCOME_HANDED_BACK' }],
      })
      const [third] = await lease(alive)
      expect(third).toBeDefined()
      expect(await inUse('lost')).toBe(1)
      if (third) await client.reportResults({ session: alive, results: [resultOf(third, {})] })
      const [fourth] = await lease(alive)
      if (fourth) await client.reportResults({ session: alive, results: [resultOf(fourth, {})] })
      await expect.poll(() => inUse('lost')).toBe(0)
    } finally {
      clearInterval(beating)
    }
  })

  test('cancel, timeout and a failed attempt give back; a parked task can be cancelled', async () => {
    const versionId = harness.define(
      limited({ concurrency: { limit: 1, key: 'ends' }, timeout: '300ms', retry: { maxAttempts: 1 } }, 'ends.fn'),
    )
    const session = await register('ends.fn')
    const held: scheduler.Lease__Output[] = []
    const beating = setInterval(() => void beat(session, held).catch(() => undefined), 250)
    const take = async () => {
      const [taken] = await lease(session)
      if (!taken) throw new Error('nothing leased')
      held.push(taken)
      return taken
    }
    try {
      const [first = '', second = '', third = ''] = await harness.request(versionId, 3, { key: 'ends' })
      const timedOut = await take()
      await expect.poll(() => parked('ends')).toBe(2)
      const waiting = [first, second, third].filter((runId) => runId !== timedOut.runId)
      await harness.internal().cancelRun({ runId: waiting[1] ?? '', projectId: timedOut.projectId, reason: 'x' })
      expect((await harness.ended(waiting[1] ?? '')).run?.status).toBe('cancelled')
      // Its worker never ends it: the engine does, past its time.
      expect((await harness.ended(timedOut.runId)).run?.status).toBe('failed')
      const next = await take()
      expect(next.runId).toBe(waiting[0])
      expect(await inUse('ends')).toBe(1)
      await harness.internal().cancelRun({ runId: next.runId, projectId: next.projectId, reason: 'x' })
      await harness.ended(next.runId)
      expect(await inUse('ends')).toBe(0)
    } finally {
      clearInterval(beating)
    }
  })

  test('no window holds more starts than a rate allows, and what is over starts when it may', async () => {
    const versionId = harness.define(limited({ rateLimit: { limit: 4, per: '1s', key: 'rate' } }, 'rate.fn'))
    const worker = await new TestWorker(harness.dispatch(), () => ({}), 20).start(['rate.fn'])
    const runs = await harness.request(versionId, 10, { key: 'rate' })
    for (const runId of runs) await harness.ended(runId, 30_000)
    await worker.stop()
    const { rows } = await harness.pool.query(
      `select (extract(epoch from started_at) * 1000)::float8 as at from tasks where uses = 'rate.fn' order by started_at`,
    )
    const starts = rows.map((row) => row.at as number)
    expect(starts).toHaveLength(10)
    for (let i = 4; i < starts.length; i += 1) {
      expect((starts[i] ?? 0) - (starts[i - 4] ?? 0)).toBeGreaterThanOrEqual(999)
    }
    expect((starts[9] ?? 0) - (starts[0] ?? 0)).toBeLessThan(10_000)
  })
})
