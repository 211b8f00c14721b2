import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, projectId, type Result, TestWorker } from './support/harness.js'

/** Holds every task it is given until it is let go. */
class Gate {
  readonly inside = new Map<string, () => void>()
  most = 0

  readonly work = async ({ runId }: { runId: string }) => {
    await new Promise<void>((resolve) => {
      this.inside.set(runId, resolve)
      this.most = Math.max(this.most, this.inside.size)
    })
    this.inside.delete(runId)
    return {}
  }

  proceed(runId: string): void {
    this.inside.get(runId)?.()
  }
}

describe('limits of workflows', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.start()
  })
  afterAll(() => harness?.stop())

  const define = (concurrency: object, uses: string) => harness.define({ concurrency, tasks: { a: { uses } } })
  const serve = async (uses: string, slots = 10) => {
    const gate = new Gate()
    const workers = await Promise.all(
      Array.from({ length: slots }, () => new TestWorker(harness.dispatch(), gate.work, 1).start([uses])),
    )
    const stop = async () => {
      const stopping = workers.map((worker) => worker.stop())
      for (const proceed of gate.inside.values()) proceed()
      await Promise.all(stopping)
    }
    return { gate, stop }
  }
  const status = async (runId: string) => (await harness.run(runId).catch(() => undefined))?.run?.status
  const inside = (gate: Gate, ...runIds: string[]) =>
    waitFor(() => runIds.every((runId) => gate.inside.has(runId)) || undefined, { timeoutMs: 20_000 })
  const inUse = async (key: string): Promise<number> => {
    const { rows } = await harness.pool.query(`select in_use from slots where scope = 'workflow' and key = $1`, [key])
    return rows[0]?.in_use ?? 0
  }

  test('queue: runs over the limit wait as queued, in order, and begin when one ends', async () => {
    const versionId = define({ limit: 2, key: '${{ input.who }}' }, 'queue.fn')
    const { gate, stop } = await serve('queue.fn')
    const ids = await harness.request(versionId, 5, { who: 'q' })
    const [other = ''] = await harness.request(versionId, 1, { who: 'somebody else' })
    await inside(gate, other)
    const under = await waitFor(() => {
      const found = ids.filter((runId) => gate.inside.has(runId))
      return found.length === 2 ? found : undefined
    })
    const waiting = ids.filter((runId) => !under.includes(runId))
    const [first = ''] = under
    const [third = ''] = waiting
    await expect.poll(() => status(third)).toBe('queued')
    expect(await inUse('test/q')).toBe(2)
    const explained = await harness.internal().explainRun({ runId: third, projectId })
    expect(explained.blockers).toEqual([{ kind: 'concurrency', detail: expect.stringMatching(/test\/q.*2 of 2/) }])
    gate.proceed(first)
    await waitFor(() => waiting.some((runId) => gate.inside.has(runId)) || undefined)
    expect(gate.most).toBe(3)
    const ending = setInterval(() => {
      for (const runId of [...ids, other]) gate.proceed(runId)
    }, 20)
    for (const runId of [...ids, other]) expect((await harness.ended(runId)).run?.status).toBe('succeeded')
    clearInterval(ending)
    expect(gate.most).toBe(3)
    expect(await inUse('test/q')).toBe(0)
    await stop()
  })

  test('cancel-new: a run for which there is no room ends cancelled, with a reason', async () => {
    const versionId = define({ limit: 1, key: 'new', onLimit: 'cancel-new' }, 'new.fn')
    const { gate, stop } = await serve('new.fn', 2)
    const [first = ''] = await harness.request(versionId)
    await inside(gate, first)
    const [second = ''] = await harness.request(versionId)
    const refused = await harness.ended(second)
    expect(refused.run).toMatchObject({ status: 'cancelled', reason: 'concurrency' })
    gate.proceed(first)
    expect((await harness.ended(first)).run?.status).toBe('succeeded')
    const [third = ''] = await harness.request(versionId)
    await inside(gate, third)
    gate.proceed(third)
    expect((await harness.ended(third)).run?.status).toBe('succeeded')
    expect(await inUse('test/new')).toBe(0)
    await stop()
  })

  test('cancel-oldest: the newest takes the place of the oldest when that has ended', async () => {
    const versionId = define({ limit: 1, onLimit: 'cancel-oldest' }, 'oldest.fn')
    const { gate, stop } = await serve('oldest.fn', 3)
    const [first = ''] = await harness.request(versionId)
    await inside(gate, first)
    const [second = ''] = await harness.request(versionId)
    expect((await harness.ended(first)).run).toMatchObject({ status: 'cancelled', reason: 'concurrency' })
    await inside(gate, second)
    const [third = ''] = await harness.request(versionId)
    // Two requests of one batch go by two shards, and either may be the newer one.
    await waitFor(async () => (await harness.run(third)).run !== undefined)
    const [fourth = ''] = await harness.request(versionId)
    for (const runId of [second, third]) expect((await harness.ended(runId)).run?.status).toBe('cancelled')
    await inside(gate, fourth)
    gate.proceed(fourth)
    expect((await harness.ended(fourth)).run?.status).toBe('succeeded')
    expect(await inUse('test')).toBe(0)
    await stop()
  })

  test('two schedulers under load never let more runs than the limit be under way', async () => {
    const second = await harness.startScheduler()
    const versionId = define({ limit: 3, key: 'load' }, 'load.fn')
    let running = 0
    let most = 0
    const work = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setTimeout(resolve, 10))
      running -= 1
      return {}
    }
    const workers = await Promise.all([
      new TestWorker(harness.dispatch(), work, 5).start(['load.fn']),
      new TestWorker(harness.dispatch(second), work, 5).start(['load.fn']),
    ])
    const ids = await harness.request(versionId, 30)
    for (const runId of ids) expect((await harness.ended(runId, 60_000)).run?.status).toBe('succeeded')
    await Promise.all(workers.map((worker) => worker.stop()))
    expect(most).toBeLessThanOrEqual(3)
    expect(await inUse('test/load')).toBe(0)
  })

  test('waiting runs can be cancelled and paused; a retried run waits for room again', async () => {
    const versionId = harness.define({
      concurrency: { limit: 1, key: 'control' },
      tasks: { a: { uses: 'control.fn', retry: { maxAttempts: 1 } } },
    })
    const gate = new Gate()
    let fails = true
    const work = async (lease: { runId: string }): Promise<Result> => {
      await gate.work(lease)
      return fails ? { error: { class: 'user' } } : {}
    }
    const workers = await Promise.all(
      [1, 2].map(() => new TestWorker(harness.dispatch(), work, 1).start(['control.fn'])),
    )
    const [first = ''] = await harness.request(versionId)
    await inside(gate, first)
    const [second = '', third = ''] = await harness.request(versionId, 2)
    await expect.poll(async () => [await status(second), await status(third)]).toEqual(['queued', 'queued'])
    await harness.internal().cancelRun({ runId: second, projectId, reason: 'not needed' })
    expect((await harness.ended(second)).run?.status).toBe('cancelled')
    await harness.internal().pauseRun({ runId: third, projectId })
    gate.proceed(first)
    expect((await harness.ended(first)).run?.status).toBe('failed')
    expect(await status(third)).toBe('paused')
    expect(await inUse('test/control')).toBe(0)
    fails = false
    await harness.internal().resumeRun({ runId: third, projectId })
    await inside(gate, third)
    await harness.internal().retryRun({ runId: first, projectId })
    expect(await status(first)).toBe('queued')
    gate.proceed(third)
    expect((await harness.ended(third)).run?.status).toBe('succeeded')
    await inside(gate, first)
    gate.proceed(first)
    expect((await harness.ended(first)).run?.status).toBe('succeeded')
    expect(await inUse('test/control')).toBe(0)
    await Promise.all(workers.map((worker) => worker.stop()))
  })

  test('a key that cannot be had fails the run', async () => {
    const runId = await harness.one(define({ limit: 1, key: '${{ input.nobody.there }}' }, 'noop'), {})
    const { run, tasks } = await harness.ended(runId)
    expect(run).toMatchObject({ status: 'failed', reason: 'concurrency', error: { class: 'expression' } })
    expect(tasks[0]?.status).toBe('skipped')
  })
})
