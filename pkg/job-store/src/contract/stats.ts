import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import type { ContractContext } from '../contract.js'
import { epoch, failure, jobHistory, observer, runHistory } from './samples.js'

const HOUR = 3_600_000
const hour = Math.floor(epoch / HOUR) * HOUR

export function statsContract({ store }: ContractContext): void {
  it('counts by status and ranks durations and waits, in all and by bucket', async () => {
    const projectId = randomUUID()
    const first = Array.from({ length: 4 }, (_, i) => jobHistory({ projectId, startAt: hour + i }))
    const { saw } = observer({ projectId, startAt: hour + HOUR })
    const later = [saw(1, 'queued'), saw(2, 'running'), saw(12, 'failed', { error: failure('x') })]
    const otherWorkflow = jobHistory({ projectId, startAt: hour, identity: { workflow: 'bills' } })
    const outside = jobHistory({ projectId, startAt: hour + 2 * HOUR })
    await store().apply({
      jobs: [...first.flatMap(({ changes }) => changes), ...later, ...otherWorkflow.changes, ...outside.changes],
      runs: [
        ...runHistory({ projectId, startAt: hour }).changes,
        ...runHistory({ projectId, startAt: hour + HOUR }).changes.slice(0, 5),
      ],
      artifacts: [],
    })
    const range = { projectId, from: new Date(hour), to: new Date(hour + 2 * HOUR) }
    const stats = await store().stats({ ...range, workflow: 'orders', bucketMs: HOUR })
    expect(stats).toMatchObject({
      total: 5,
      counts: { succeeded: 4, failed: 1, running: 0 },
      durations: { p50: 100, p95: 1000, p99: 1000 },
      queueWait: { p50: 200, p95: 200 },
      runs: { total: 2, counts: { succeeded: 1, failed: 1 }, durations: { p50: 400, p99: 700 } },
    })
    expect(stats.buckets.map((bucket) => [bucket.from, bucket.total, bucket.counts.failed, bucket.runs.total])).toEqual(
      [
        [new Date(hour).toISOString(), 4, 0, 1],
        [new Date(hour + HOUR).toISOString(), 1, 1, 1],
      ],
    )
    expect((await store().stats({ ...range, bucketMs: HOUR })).total).toBe(6)
  })

  it('answers zeros where nothing happened', async () => {
    const range = { from: new Date(epoch), to: new Date(epoch + 1) }
    const stats = await store().stats({ projectId: randomUUID(), ...range, bucketMs: 1_000 })
    expect(stats).toMatchObject({ total: 0, counts: { failed: 0 }, durations: { p50: null }, buckets: [] })
  })
}

export function taskStatsContract({ store }: ContractContext): void {
  it('sums up each task of each workflow', async () => {
    const projectId = randomUUID()
    const pays = Array.from({ length: 3 }, (_, i) => jobHistory({ projectId, startAt: hour + i }))
    const ships = observer({ projectId, startAt: hour, identity: { task: 'ship' } })
    const bills = jobHistory({ projectId, startAt: hour, identity: { workflow: 'bills', task: 'ask' } })
    const before = jobHistory({ projectId, startAt: hour - HOUR })
    const failed = [
      ships.saw(1, 'queued'),
      ships.saw(3, 'running'),
      ships.saw(12, 'failed', { error: { ...failure('no'), code: 'refused' } }),
    ]
    await store().apply({
      jobs: [...pays.flatMap(({ changes }) => changes), ...failed, ...bills.changes, ...before.changes],
      runs: [],
      artifacts: [],
    })
    const range = { projectId, from: new Date(hour), to: new Date(hour + HOUR) }
    const ofPay = { workflow: 'orders', task: 'pay', total: 3, failures: 0, retries: 3 }
    const ofShip = { workflow: 'orders', task: 'ship', total: 1, failures: 1, retries: 0 }
    expect(await store().taskStats({ ...range, workflow: 'orders' }, 10)).toMatchObject([
      { ...ofPay, durations: { p50: 100 }, queueWait: { p50: 200 } },
      { ...ofShip, durations: { p50: 900, p99: 900 }, queueWait: { p95: 200 } },
    ])
    const all = await store().taskStats(range, 2)
    expect(all.map(({ workflow, task }) => [workflow, task])).toEqual([
      ['bills', 'ask'],
      ['orders', 'pay'],
    ])
    const failing = await store().taskStats({ ...range, order: 'failures' }, 10)
    expect(failing).toMatchObject([ofShip])
    const found = await store().listJobs({ projectId, errorCode: 'refused' }, { limit: 10 })
    expect(found.map(({ id }) => id)).toEqual([ships.jobId])
  })

  it('names the tasks that failed most first, by name where they failed as often', async () => {
    const projectId = randomUUID()
    const failing = (task: string, times: number) =>
      Array.from({ length: times }, () => observer({ projectId, startAt: hour, identity: { task } })).flatMap((job) => [
        job.saw(1, 'queued'),
        job.saw(3, 'running'),
        job.saw(12, 'failed', { error: failure('no') }),
      ])
    const fine = jobHistory({ projectId, startAt: hour, identity: { task: 'fine' } })
    const jobs = [...failing('a', 1), ...fine.changes, ...failing('c', 2), ...failing('b', 2)]
    await store().apply({ jobs, runs: [], artifacts: [] })
    const query = { projectId, from: new Date(hour), to: new Date(hour + HOUR), order: 'failures' as const }
    const order = async (limit: number) =>
      (await store().taskStats(query, limit)).map(({ task, failures }) => `${task}${failures}`)
    expect(await order(10)).toEqual(['b2', 'c2', 'a1'])
    expect(await order(2)).toEqual(['b2', 'c2'])
  })
}
