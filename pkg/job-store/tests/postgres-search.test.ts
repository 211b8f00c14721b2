import { randomUUID } from 'node:crypto'
import { createPool, type Pool } from '@millrace/postgres'
import { type TestDatabase, testDatabase, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { observer } from '../src/contract/samples.js'
import { createPostgresJobStore, type JobFilter, type JobStore } from '../src/index.js'

let database: TestDatabase
let pool: Pool
let store: JobStore
beforeAll(async () => {
  database = await testDatabase()
  pool = createPool({ connectionString: database.url, schema: 'metadata', max: 1 })
  store = createPostgresJobStore({ pool, schema: 'metadata' })
  await store.prepare()
})
afterAll(async () => {
  await store.close()
  await database.drop()
})

it('finds what failed among much that did not without reading the rest', async () => {
  const projectId = randomUUID()
  await pool.query(
    `insert into jobs (id, rev, project_id, run_id, sequence, status, workflow, task, worker_ids, created_at, labels, facts)
     select gen_random_uuid(), 1, $1, gen_random_uuid(), 1, case when i % 100 = 0 then 'failed' else 'succeeded' end, 'w',
       'task-' || i % 10, '{}', now() - i * interval '1 second', array['region=' || i % 4], '{"identity": null, "seen": []}'
     from generate_series(1, 10000) i`,
    [projectId],
  )
  await pool.query('analyze jobs')
  expect(await store.listJobs({ projectId, statuses: ['failed'], task: 'task-3' }, { limit: 50 })).toEqual([])
  const scans = `select idx_scan > 0 as used from pg_stat_user_indexes where indexrelname = 'jobs_by_failure'`
  await waitFor(async () => (await pool.query(scans)).rows[0]?.used, { what: 'the index of failures is read' })
})

it('reads little of the history for a name, a text or failures that are rare', async () => {
  const projectId = randomUUID()
  await pool.query(
    `insert into jobs (id, rev, project_id, run_id, sequence, status, workflow, task, worker_ids, created_at, search, facts)
     select gen_random_uuid(), 1, $1, gen_random_uuid(), 1, case when i % 20 = 0 then 'failed' else 'succeeded' end,
       'workflow-' || i % 10, 'task-' || i % 3, '{}', now() - i * interval '1 second',
       'workflow-' || i % 10 || ' order-' || i, '{"identity": null, "seen": []}'
     from generate_series(1, 20000) i`,
    [projectId],
  )
  await pool.query('vacuum analyze jobs')
  const searches: Omit<JobFilter, 'projectId'>[] = [
    { workflow: 'none-such' },
    { workflow: 'workflow-1', task: 'none-such' },
    { task: 'none-such' },
    { statuses: ['cancelled'] },
    { statuses: ['failed', 'cancelled'], workflow: 'workflow-1', task: 'task-1' },
    { text: 'ORDER-19999' },
    { text: 'none-such' },
  ]
  const whole = await blocksRead(() => pool.query('select count(facts) from jobs'))
  for (const filter of searches) {
    const blocks = await blocksRead(() => store.listJobs({ projectId, ...filter }, { limit: 50 }))
    expect([filter, blocks < whole / 4]).toEqual([filter, true])
  }
})

/** Of jobs and its indexes. The one connection counts for itself, and says so when it is told to. */
async function blocksRead(work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await pool.query('select pg_stat_force_next_flush()')
    const { rows } = await pool.query<{ blocks: number }>(
      `select (heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit)::int as blocks
       from pg_statio_user_tables where relname = 'jobs'`,
    )
    return rows[0]?.blocks ?? 0
  }
  const before = await count()
  await work()
  return (await count()) - before
}

it('changes a status without touching an index', async () => {
  const { saw } = observer({ projectId: randomUUID() })
  const updates = async () => {
    const { rows } = await pool.query(
      `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'jobs'`,
    )
    return rows[0] as { all: number; hot: number }
  }
  for (const [n, status] of (['queued', 'running', 'succeeded'] as const).entries()) {
    await store.apply({ jobs: [saw(n, status)], runs: [], artifacts: [] })
  }
  const seen = await waitFor(async () => {
    const { all, hot } = await updates()
    return all >= 2 && { all, hot }
  })
  expect(seen.hot).toBe(seen.all)
})
