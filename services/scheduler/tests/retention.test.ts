import { appendEvents } from '@millrace/events'
import { withTransaction } from '@millrace/postgres'
import { waitFor } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { advanceTombstones, deleteRunsById, tombstoneStages } from '../src/db/retention/delete-runs.js'
import { Harness, projectId, TestWorker } from './support/harness.js'

const day = 86_400_000
let harness: Harness
let worker: TestWorker
beforeAll(async () => {
  harness = await Harness.start({}, 6000, () => ({}), { retention: { keepMs: 30 * day, everyMs: 200 } })
  const fail = { error: { class: 'non_retryable' } }
  worker = await new TestWorker(harness.dispatch(), (lease) => (lease.uses === 'fail' ? fail : {})).start()
})
afterAll(async () => {
  await worker?.stop()
  await harness?.stop()
})

const two = { tasks: { a: { uses: 'noop', with: { output: 1 } }, b: { needs: ['a'], uses: 'fail' } } }
const waiting = { tasks: { a: { uses: 'approval', with: {} } } }
const say = (workflow: string, retention: unknown, project = projectId) =>
  appendEvents(harness.pool, 'test', [
    {
      topic: 'retention.changed',
      key: project,
      data: { projectId: project, workflow, retentionJson: retention === null ? '' : JSON.stringify(retention) },
    },
  ])
const start = async (source: object, more: object, count = 1) =>
  harness.request(harness.define(source), count, undefined, undefined, more)
const age = (ids: readonly string[], days: number) =>
  harness.pool.query(
    `update runs set finished_at = finished_at - make_interval(days => $2), created_at = created_at - make_interval(days => $2)
     where id = any($1::uuid[])`,
    [ids, days],
  )

/** Every table that names runs or tasks, and how many of these it still has. */
async function remains(runIds: readonly string[], taskIds: readonly string[]): Promise<Record<string, number>> {
  const columns = await harness.pool.query<{ table_name: string; column_name: string }>(
    `select table_name, column_name from information_schema.columns
     where table_schema = 'scheduler' and column_name in ('run_id', 'task_id', 'id') and data_type = 'uuid'`,
  )
  const found: Record<string, number> = {}
  for (const { table_name: table, column_name: column } of columns.rows) {
    const sql = `select count(*)::int as n from ${table} where ${column} = any($1::uuid[])`
    const { n } = (await harness.pool.query(sql, [[...runIds, ...taskIds]])).rows[0]
    if (n > 0) found[`${table}.${column}`] = n
  }
  return found
}
const tasksOf = async (ids: readonly string[]): Promise<string[]> =>
  (await harness.pool.query('select id from tasks where run_id = any($1::uuid[])', [ids])).rows.map((row) => row.id)
const left = async (ids: readonly string[]): Promise<number> =>
  (await harness.pool.query('select 1 from runs where id = any($1::uuid[]) and project_id = $2', [ids, projectId])).rows
    .length

describe('ended runs', () => {
  test('past their time vanish with everything of them, others stay, and an event names them', async () => {
    const old = await start(two, { workflow: 'aging' }, 5)
    const young = await start(two, { workflow: 'aging' }, 2)
    const [open] = await start(waiting, { workflow: 'aging' })
    for (const id of [...old, ...young]) await harness.ended(id)
    await waitFor(async () => (await harness.run(open ?? '')).run?.status === 'running')
    const tasks = await tasksOf(old)
    expect(tasks).toHaveLength(10)
    expect(Object.keys(await remains(old, tasks))).toContain('dead_letters.task_id')
    await harness.pool.query(`update runs set created_at = created_at - interval '90 days' where id = $1`, [open])
    await age(old, 31)
    await waitFor(async () => Object.keys(await remains(old, tasks)).length === 0)
    expect(await left([...young, open ?? ''])).toBe(3)
    const named = (await harness.events('runs.deleted')).flatMap((event) => event.runIds)
    expect(named.sort()).toEqual([...old].sort())
    await expect(harness.run(old[0] ?? '')).rejects.toMatchObject({ code: 'not_found' })
  })

  test('the workflow’s word goes before the project’s, and the latest word stands', async () => {
    const project = projectId
    const kept = await start(two, { workflow: 'kept' })
    const short = await start(two, { workflow: 'short' })
    const plain = await start(two, { workflow: 'plain' })
    for (const id of [...kept, ...short, ...plain]) await harness.ended(id)
    await say('kept', 0)
    await say('short', '1d')
    await say('', '10d')
    await waitFor(async () => {
      const { rows } = await harness.pool.query('select 1 from retention_policies where project_id = $1', [project])
      return rows.length === 3
    })
    await age([...kept, ...short, ...plain], 5)
    await waitFor(async () => (await left(short)) === 0)
    expect([await left(kept), await left(plain)]).toEqual([1, 1])
    await age([...kept, ...plain], 100)
    await waitFor(async () => (await left(plain)) === 0)
    expect(await left(kept)).toBe(1)
    await say('', null)
  })

  test('beyond their number go, the oldest first', async () => {
    const ids = await start(two, { workflow: 'counted' }, 6)
    for (const [i, id] of ids.entries()) {
      await harness.ended(id)
      await harness.pool.query(`update runs set finished_at = now() - make_interval(mins => $2) where id = $1`, [id, i])
    }
    await say('counted', { runs: 2 })
    await waitFor(async () => (await left(ids)) === 2)
    expect(await left(ids.slice(0, 2))).toBe(2)
  })
})

describe('a run that was deleted soon after it ended', () => {
  test('does not come back with its event, takes no command, and its deletion is published again', async () => {
    const versionId = harness.define(two)
    const [id = ''] = await harness.request(versionId, 1, undefined, undefined, { workflow: 'recent' })
    await harness.ended(id)
    await withTransaction(harness.pool, (tx) => deleteRunsById(tx, projectId, [id]))
    const [after] = await harness.request(versionId, 1, undefined, undefined, { workflow: 'recent' })
    await harness.request(versionId, 1, undefined, [id], { workflow: 'recent' })
    const [last] = await harness.request(versionId, 1, undefined, undefined, { workflow: 'recent' })
    for (const other of [after, last]) await harness.ended(other ?? '')
    expect(await left([id])).toBe(0)
    await expect(harness.internal().retryRun({ projectId, runId: id })).rejects.toMatchObject({ code: 'not_found' })
    await waitFor(async () => (await tasksOf([id])).length === 0)
    for (const stage of tombstoneStages) {
      await harness.pool.query(`update runs set finished_at = now() - interval '9 days' where id = $1`, [id])
      const times = async () =>
        (await harness.events('runs.deleted')).filter((event) => event.runIds.includes(id)).length
      const before = await times()
      await withTransaction(harness.pool, (tx) => advanceTombstones(tx, stage, 10))
      await waitFor(async () => (await times()) > before)
    }
    await waitFor(async () => (await harness.pool.query('select 1 from runs where id = $1', [id])).rowCount === 0)
  })

  test('an open run is never deleted, whoever asks', async () => {
    const [id = ''] = await start(waiting, { workflow: 'open' })
    await waitFor(async () => (await harness.run(id)).run?.status === 'running')
    expect((await harness.internal().deleteRuns({ projectId, runIds: [id, v7()] })).deletedIds).toEqual([])
    expect(await left([id])).toBe(1)
  })
})

describe('a deleted project', () => {
  test('its runs are cancelled and deleted, its settings go, and that is published once there is nothing', async () => {
    const doomed = v7()
    const ended = await start(two, { workflow: 'w', projectId: doomed }, 3)
    const open = await start(waiting, { workflow: 'w', projectId: doomed }, 2)
    const status = async (id: string) =>
      (await harness.pool.query('select status from runs where id = $1', [id])).rows[0]?.status
    for (const id of ended) await waitFor(async () => (await status(id)) === 'failed')
    for (const id of open) await waitFor(async () => (await status(id)) === 'running')
    await harness.pool.query(`insert into queues (project_id, name) values ($1, 'q')`, [doomed])
    await say('w', '1d', doomed)
    await appendEvents(harness.pool, 'iam', [
      { topic: 'project.deleted', key: doomed, data: { projectId: doomed, slug: 'doomed' } },
    ])
    await waitFor(async () => (await harness.events('project.emptied', doomed)).length === 1, { timeoutMs: 30_000 })
    const tables = await harness.pool.query<{ table_name: string }>(
      `select table_name from information_schema.columns
       where table_schema = 'scheduler' and column_name = 'project_id' and table_name <> 'deleted_projects'`,
    )
    for (const { table_name: table } of tables.rows) {
      const { rowCount } = await harness.pool.query(`select 1 from ${table} where project_id = $1`, [doomed])
      expect(rowCount, table).toBe(0)
    }
    const late = v7()
    harness.unavailable.set(late, new Error('the version is gone'))
    await harness.request(late, 1, undefined, undefined, { workflow: 'w', projectId: doomed })
    const [next] = await start(two, { workflow: 'other' })
    await harness.ended(next ?? '')
  })
})
