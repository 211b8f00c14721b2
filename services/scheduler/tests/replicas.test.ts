import type { scheduler } from '@millrace/contracts'
import { createPostgresEventBus } from '@millrace/events'
import { metricsText } from '@millrace/telemetry'
import { testLogger, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SchedulerService } from '../src/server.js'
import { Harness, projectId, resultOf } from './support/harness.js'
import { each } from './support/map-harness.js'

/** Of the queue; nothing that a test waits for may come by it. */
const POLL_MS = 60_000
/** Far below the poll, and far above what a busy machine needs. */
const SOON_MS = 10_000

interface Hand {
  readonly uses: string
  readonly session: { id: string; secret: string }
  lease(waitMs?: number): Promise<scheduler.Lease__Output | undefined>
  report(result: scheduler.TaskResult): Promise<readonly string[]>
}

describe('a worker that waits at one replica', () => {
  let harness: Harness
  let here: SchedulerService
  let there: SchedulerService
  const beating: NodeJS.Timeout[] = []

  beforeAll(async () => {
    // As on Kafka: a bus that publishes makes schedulers send hints to each other.
    const withBroker = (url: string) => {
      const bus = createPostgresEventBus({ connectionString: url, logger: testLogger })
      return { bus: Object.assign(bus, { publish: async () => undefined }) }
    }
    const engine = { pollMs: POLL_MS, reconcileMs: POLL_MS }
    harness = await Harness.start(engine, 20_000, withBroker)
    here = harness.service
    // It starts second, so the first one reads `workflow.started`.
    there = await harness.startScheduler(engine, 20_000, withBroker(harness.database.url))
  })
  afterAll(async () => {
    for (const timer of beating) clearInterval(timer)
    await harness?.stop()
  })

  async function hand(uses: string, service: SchedulerService): Promise<Hand> {
    const client = harness.dispatch(service)
    const made = await client.register({ name: 'hand', executors: [uses], queues: [], concurrency: 10 })
    const session = { id: made.sessionId, secret: made.sessionSecret }
    const held = new Set<scheduler.Lease__Output>()
    beating.push(setInterval(() => void client.heartbeat({ session, held: [...held] }).catch(() => undefined), 1000))
    return {
      uses,
      session,
      lease: async (waitMs = SOON_MS) => {
        const { leases } = await client.leaseTasks({ session, max: 1, waitMs })
        for (const lease of leases) held.add(lease)
        return leases[0]
      },
      report: async (result) => {
        const { verdicts } = await client.reportResults({ session, results: [result] })
        for (const lease of held) if (lease.leaseId === result.leaseId) held.delete(lease)
        return verdicts
      },
    }
  }

  /** Asks before there is anything, so that only a hint can end the wait. */
  async function waiting(worker: Hand): Promise<{ leased: Promise<scheduler.Lease__Output | undefined> }> {
    expect(await worker.lease(1)).toBeUndefined()
    return { leased: worker.lease() }
  }

  const handedBack = ({ taskId, runId, token, leaseId }: scheduler.Lease__Output): scheduler.TaskResult => ({
    ...{ taskId, runId, token, leaseId, outcome: 'OUTCOME_HANDED_BACK' },
  })

  async function requeued(why: string): Promise<number> {
    const line = (await metricsText()).split('\n').find((text) => text.includes(`requeued_total{why="${why}"`))
    return Number(line?.split(' ').at(-1) ?? 0)
  }

  test('gets the items of a map that another replica began', async () => {
    const worker = await hand('map.item', there)
    const { leased } = await waiting(worker)
    const runId = await harness.one(harness.define({ tasks: { m: each({ uses: 'map.item' }) } }), { items: [1] })
    const lease = await leased
    expect(lease?.runId).toBe(runId)
    if (lease) await worker.report(resultOf(lease, {}))
  })

  test('gets the next attempt of a map item that failed elsewhere', async () => {
    const first = await hand('map.retry', here)
    const retry = { maxAttempts: 2, delay: '300ms', jitter: 'none' }
    const map = each({ uses: 'map.retry', retry })
    const runId = await harness.one(harness.define({ tasks: { m: map } }), { items: [1] })
    const attempt = await waitFor(() => first.lease(1000))
    const { leased } = await waiting(await hand('map.retry', there))
    await first.report(resultOf(attempt, { error: { class: 'unknown' } }))
    const lease = await leased
    expect(lease).toMatchObject({ runId, attempt: 2 })
  })

  test('gets a task of a run that another replica resumed', async () => {
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'resume.a' } } }))
    await waitFor(async () => (await harness.run(runId)).run?.status === 'running')
    await harness.internal(here).pauseRun({ runId, projectId })
    const { leased } = await waiting(await hand('resume.a', there))
    await harness.internal(here).resumeRun({ runId, projectId })
    expect((await leased)?.runId).toBe(runId)
  })

  test('gets a task that another replica’s worker handed back, which is counted once', async () => {
    const first = await hand('back.a', here)
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'back.a' } } }))
    const lease = await waitFor(() => first.lease(1000))
    const { leased } = await waiting(await hand('back.a', there))
    const before = await requeued('handed_back')
    expect(await first.report(handedBack(lease))).toEqual(['VERDICT_ACCEPTED'])
    expect((await leased)?.runId).toBe(runId)
    expect((await requeued('handed_back')) - before).toBe(1)
  })

  test('gets a task under a limit that another replica’s worker handed back', async () => {
    const first = await hand('limit.a', here)
    const task = { uses: 'limit.a', rateLimit: { limit: 100, per: '1s', key: 'limit-a' } }
    const runId = await harness.one(harness.define({ tasks: { a: task } }))
    const lease = await waitFor(() => first.lease(1000))
    const { leased } = await waiting(await hand('limit.a', there))
    await first.report(handedBack(lease))
    expect((await leased)?.runId).toBe(runId)
  })

  test('gets a task whose wait ended at another replica', async () => {
    const first = await hand('wait.a', here)
    const runId = await harness.one(harness.define({ tasks: { a: { uses: 'wait.a' } } }))
    const lease = await waitFor(() => first.lease(1000))
    const second = await hand('wait.a', there)
    const { leased } = await waiting(second)
    await first.report({ ...handedBack(lease), retryAfterMs: 100, handBackReason: 'closed' })
    expect((await leased)?.runId).toBe(runId)
  })
})
