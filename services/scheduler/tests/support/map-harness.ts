import { waitFor } from '@millrace/testkit'
import { Harness, TestWorker } from './harness.js'

export const numbers = (count: number): number[] => Array.from({ length: count }, (_, i) => i)

/** A map over the run's `items`. */
export const each = (task: object, more: object = {}) => ({
  uses: 'map',
  with: { items: '${{ input.items }}', task, ...more },
})

export const itemOf = (lease: { inputJson: string }): number => (JSON.parse(lease.inputJson) as { value: number }).value

/** What a run that has ended has left in the tables of what is still to be done. */
export const nothing = { queue: 0, timers: 0, inbox: 0, open: 0, live: 0 }

export interface ChildView {
  idx: number
  status: string
  attempt: number
  error: { code: string } | null
}

/** A scheduler, and what tests of maps ask of it. */
export class MapHarness {
  private readonly workers: TestWorker[] = []

  private constructor(readonly harness: Harness) {}

  static async start(): Promise<MapHarness> {
    return new MapHarness(await Harness.start({ reconcileMs: 500 }, 20_000))
  }

  async stop(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()))
    await this.harness.stop()
  }

  /** A worker for one executor, so that tests do not take each other's children. */
  async worker(uses: string, work: ConstructorParameters<typeof TestWorker>[1], slots = 20): Promise<TestWorker> {
    const made = await new TestWorker(this.harness.dispatch(), work, slots).start([uses])
    this.workers.push(made)
    return made
  }

  /** A worker that leases and reports only what a test tells it to. */
  async hand(uses: string) {
    const client = this.harness.dispatch()
    const made = await client.register({ name: 'hand', executors: [uses], queues: [], concurrency: 50 })
    const session = { id: made.sessionId, secret: made.sessionSecret }
    const lease = (max: number) =>
      waitFor(async () => {
        const { leases } = await client.leaseTasks({ session, max, waitMs: 1000 })
        return leases.length === max ? leases.sort((a, b) => (a.index ?? 0) - (b.index ?? 0)) : null
      })
    return { client, session, lease }
  }

  async children(runId: string, key = 'm'): Promise<ChildView[]> {
    const { rows } = await this.harness.pool.query(
      'select idx, status, attempt, error from tasks where run_id = $1 and key = $2 and idx >= 0 order by idx',
      [runId, key],
    )
    return rows
  }

  async leftOvers(runId: string): Promise<unknown> {
    const { rows } = await this.harness.pool.query(
      `select (select count(*) from task_queue where run_id = $1)::int as queue,
        (select count(*) from timers where run_id = $1)::int as timers,
        (select count(*) from run_inbox where run_id = $1)::int as inbox,
        (select coalesce(sum(open), 0) from map_groups where run_id = $1)::int as open,
        (select count(*) from map_groups where run_id = $1 and closed_at is null)::int as live`,
      [runId],
    )
    return rows[0]
  }
}
