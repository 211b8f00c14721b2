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
