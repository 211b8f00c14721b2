import { setTimeout as sleep } from 'node:timers/promises'
import { metricsText } from '@millrace/telemetry'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, projectId, TestWorker } from './support/harness.js'
import { each, MapHarness, numbers } from './support/map-harness.js'

describe('limits', () => {
  let maps: MapHarness
  let harness: Harness
  beforeAll(async () => {
    maps = await MapHarness.start()
    harness = maps.harness
  })
  afterAll(() => maps?.stop())

  const drift = async (): Promise<number> => {
    const line = /millrace_scheduler_reconciled_total\{[^}]*what="slot_drift"[^}]*\} (\d+)/.exec(await metricsText())
    return Number(line?.[1] ?? 0)
  }
  const inUse = async (key: string): Promise<number | undefined> =>
    (await harness.pool.query('select in_use from slots where key = $1', [key])).rows[0]?.in_use

  test('a count that drifted is put right and told, and what waited for it goes on', async () => {
    const versionId = harness.define({ tasks: { a: { uses: 'drift.fn', concurrency: { limit: 1, key: 'drifted' } } } })
    await maps.worker('drift.fn', () => ({}))
    for (const runId of await harness.request(versionId, 5)) await harness.ended(runId)
    // Time for the reconciler to look at what work without faults leaves.
    await sleep(1_200)
    expect(await drift()).toBe(0)

    await harness.pool.query(`update slots set in_use = 1 where key = 'drifted'`)
    const runId = await harness.one(versionId)
    // Its looks take a twentieth of the time at most: on a busy machine they are far apart.
    await waitFor(async () => (await drift()) > 0, { timeoutMs: 40_000 })
    expect((await harness.ended(runId)).run?.status).toBe('succeeded')
    expect(await drift()).toBe(1)
    expect((await inUse('drifted')) ?? 0).toBe(0)
  }, 60_000)

  test('explain names the rate that a task waits for', async () => {
    const rate = { limit: 1, per: '1h', key: 'slow-lane' }
    const versionId = harness.define({ tasks: { a: { uses: 'rate.fn', rateLimit: rate } } })
    await maps.worker('rate.fn', () => ({}))
    const [first = '', second = ''] = await harness.request(versionId, 2)
    const done = await waitFor(async () => {
      for (const runId of [first, second]) if ((await harness.run(runId)).run?.status === 'succeeded') return runId
      return undefined
    })
    const waiting = done === first ? second : first
    const blockers = await waitFor(async () => {
      const { tasks } = await harness.internal().explainRun({ runId: waiting, projectId })
      return tasks[0]?.blockers.length ? tasks[0].blockers : undefined
    })
    expect(blockers).toMatchObject([{ kind: 'rate_limit' }])
    expect(blockers[0]?.detail).toMatch(/slow-lane/)
    expect((await harness.run(waiting)).tasks[0]?.status).toBe('queued')
  })

  test('children of a map keep to the limit of their queue', async () => {
    await harness.control().updateQueue({ projectId, name: 'narrow', concurrency: 2 })
    let now = 0
    let most = 0
    const work = async () => {
      now += 1
      most = Math.max(most, now)
      await sleep(15)
      now -= 1
      return {}
    }
    const worker = await new TestWorker(harness.dispatch(), work, 20).start(['narrow.fn'], ['narrow'])
    const versionId = harness.define({ tasks: { m: each({ uses: 'narrow.fn', queue: 'narrow' }) } })
    const runId = await harness.one(versionId, { items: numbers(30) })
    expect((await harness.ended(runId, 60_000)).run?.status).toBe('succeeded')
    await worker.stop()
    expect(most).toBe(2)
    expect(await drift()).toBe(1)
  }, 90_000)
})
