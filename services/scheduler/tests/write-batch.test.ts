import { migrateEvents } from '@millrace/events'
import { createPool, migrate, type Pool } from '@millrace/postgres'
import { type TestDatabase, testDatabase } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BatchRow, emptyRows } from '../src/db/batch/clauses.js'
import { writeBatch } from '../src/db/batch/write-batch.js'
import { noPick } from '../src/domain/queue.js'

let database: TestDatabase
let pool: Pool

beforeAll(async () => {
  database = await testDatabase()
  pool = createPool({ connectionString: database.url, schema: 'scheduler', max: 1 })
  await migrateEvents(pool)
  await migrate(pool, { schema: 'scheduler', directory: new URL('../migrations', import.meta.url) })
}, 120_000)

afterAll(async () => {
  await pool?.end()
  await database?.drop()
})

/** A run with a task that waits for its retry; the ids of both and of the timer. */
async function delayedRun(): Promise<{ runId: string; taskId: string; timerId: number }> {
  const [runId, taskId] = [v7(), v7()]
  await pool.query(
    `insert into runs (id, project_id, workflow, version, version_id, status, priority, labels, requested_by, created_at)
      values ($1, $2, 'w', 1, $2, 'running', 0, '{}', 'user:ada', now())`,
    [runId, v7()],
  )
  await pool.query(
    `insert into tasks (id, run_id, project_id, ordinal, key, name, uses, queue, priority, status, attempt, max_attempts)
      values ($1, $2, $3, 0, 'a', 'a', 'noop', 'default', 0, 'delayed', 1, 3)`,
    [taskId, runId, v7()],
  )
  const timer = await pool.query<{ id: number }>(
    `insert into timers (run_id, task_id, kind, due_at) values ($1, $2, 'retry', now()) returning id`,
    [runId, taskId],
  )
  return { runId, taskId, timerId: timer.rows[0]?.id ?? 0 }
}

const runChange = (runId: string, change: Partial<BatchRow<'runChanges'>>): BatchRow<'runChanges'> => ({
  ...{ runId, expectedRev: 1, status: 'running', reason: null, setOutput: false, output: null, setError: false },
  ...{ error: null, started: false, ended: false, reopened: false, dropRetries: false, ...change },
})

const timersOf = async (runId: string): Promise<number> =>
  (await pool.query('select 1 from timers where run_id = $1', [runId])).rowCount ?? 0

test('the timer of a retry that fired is gone, though the batch pauses another run', async () => {
  const [paused, retried] = [await delayedRun(), await delayedRun()]
  const rows = emptyRows()
  rows.runChanges.push(runChange(paused.runId, { status: 'paused', dropRetries: true }), runChange(retried.runId, {}))
  rows.firedTimers.push({ id: retried.timerId, unit: retried.runId })
  const { won } = await writeBatch(pool, rows, noPick)
  expect([...won.keys()].sort()).toEqual([paused.runId, retried.runId].sort())
  expect(await timersOf(paused.runId)).toBe(0)
  expect(await timersOf(retried.runId)).toBe(0)
})

test('a task that ends loses its retry, though the batch pauses another run', async () => {
  const [paused, ended] = [await delayedRun(), await delayedRun()]
  const rows = emptyRows()
  rows.runChanges.push(runChange(paused.runId, { status: 'paused', dropRetries: true }), runChange(ended.runId, {}))
  rows.droppedTimers.push({ unit: ended.runId, runId: ended.runId, taskId: ended.taskId, keepTotal: false })
  await writeBatch(pool, rows, noPick)
  expect(await timersOf(paused.runId)).toBe(0)
  expect(await timersOf(ended.runId)).toBe(0)
})

test('a retry that fires as its run is paused is deleted once', async () => {
  const { runId, taskId, timerId } = await delayedRun()
  const rows = emptyRows()
  rows.runChanges.push(runChange(runId, { status: 'paused', dropRetries: true }))
  rows.firedTimers.push({ id: timerId, unit: runId })
  rows.droppedTimers.push({ unit: runId, runId, taskId, keepTotal: false })
  expect((await writeBatch(pool, rows, noPick)).won.has(runId)).toBe(true)
  expect(await timersOf(runId)).toBe(0)
})
