import { migrateEvents } from '@millrace/events'
import { createPool, migrate, type Pool } from '@millrace/postgres'
import { type TestDatabase, testDatabase } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BatchRow, emptyRows } from '../src/db/batch/clauses.js'
import { writeBatch } from '../src/db/batch/write-batch.js'
import { noDequeue } from '../src/domain/queue.js'

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

async function insertRun(runId: string): Promise<void> {
  await pool.query(
    `insert into runs (id, project_id, workflow, version, version_id, status, priority, labels, requested_by, created_at)
      values ($1, $2, 'w', 1, $2, 'running', 0, '{}', 'user:ada', now())`,
    [runId, v7()],
  )
}

/** A run with a task that waits for its retry; the ids of both and of the timer. */
async function delayedRun(): Promise<{ runId: string; taskId: string; timerId: number }> {
  const [runId, taskId] = [v7(), v7()]
  await insertRun(runId)
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
  const { won } = await writeBatch(pool, rows, noDequeue)
  expect([...won.keys()].sort()).toEqual([paused.runId, retried.runId].sort())
  expect(await timersOf(paused.runId)).toBe(0)
  expect(await timersOf(retried.runId)).toBe(0)
})

test('a task that ends loses its retry, though the batch pauses another run', async () => {
  const [paused, ended] = [await delayedRun(), await delayedRun()]
  const rows = emptyRows()
  rows.runChanges.push(runChange(paused.runId, { status: 'paused', dropRetries: true }), runChange(ended.runId, {}))
  rows.droppedTimers.push({ unit: ended.runId, runId: ended.runId, taskId: ended.taskId, keepTotal: false })
  await writeBatch(pool, rows, noDequeue)
  expect(await timersOf(paused.runId)).toBe(0)
  expect(await timersOf(ended.runId)).toBe(0)
})

test('a retry that fires as its run is paused is deleted once', async () => {
  const { runId, taskId, timerId } = await delayedRun()
  const rows = emptyRows()
  rows.runChanges.push(runChange(runId, { status: 'paused', dropRetries: true }))
  rows.firedTimers.push({ id: timerId, unit: runId })
  rows.droppedTimers.push({ unit: runId, runId, taskId, keepTotal: false })
  expect((await writeBatch(pool, rows, noDequeue)).won.has(runId)).toBe(true)
  expect(await timersOf(runId)).toBe(0)
})

test('a slice of a map is written whole, once, and counted', async () => {
  const [runId, projectId, unit] = [v7(), v7(), v7()]
  await insertRun(runId)
  await pool.query(
    `insert into map_groups (run_id, ordinal, task_id, project_id, items, total, max_parallel, run_rev, round)
      values ($1, 0, $2, $3, '[1,2,3,4]', 4, 9, 1, 1)`,
    [runId, unit, projectId],
  )
  const rows = emptyRows()
  rows.slices.push({
    ...{ unit, runId, ordinal: 0, projectId, round: 1, firstIndex: 0, endIndex: 3, limited: false },
    ...{ key: 'm', name: 'm', uses: 'noop', queue: 'default', priority: 0, timeoutMs: null },
  })
  const ids = [v7(), v7(), v7()] as const
  const wrong = JSON.stringify({ code: 'expression', message: 'wrong', class: 'expression' })
  const item = { unit, attempt: 1, maxAttempts: 2, error: null, deadLetterId: null }
  rows.newItems.push(
    { ...item, id: ids[0], idx: 0, status: 'queued' },
    { ...item, id: ids[1], idx: 1, status: 'failed', error: wrong, deadLetterId: v7() },
    { ...item, id: ids[2], idx: 2, status: 'delayed', error: wrong },
  )
  rows.newTimers.push({ unit, runId, taskId: ids[2], kind: 'retry', delayMs: 1000 })
  expect((await writeBatch(pool, rows, noDequeue)).won.has(unit)).toBe(true)
  expect((await writeBatch(pool, rows, noDequeue)).won.has(unit)).toBe(false)
  const group = await pool.query('select made, open, closed_at from map_groups where run_id = $1', [runId])
  expect(group.rows).toEqual([{ made: 3, open: 2, closed_at: null }])
  const count = async (text: string) => (await pool.query(text, [[...ids]])).rowCount
  expect(await count('select 1 from tasks where id = any($1)')).toBe(3)
  expect(await count('select 1 from task_queue where task_id = any($1)')).toBe(1)
  expect(await count('select 1 from attempt_failures where task_id = any($1)')).toBe(2)
  expect(await count('select 1 from dead_letters where task_id = any($1)')).toBe(1)
  expect(await count('select 1 from timers where task_id = any($1)')).toBe(1)
  const events = await pool.query<{ topic: string }>('select topic from events.log where key = $1 order by id', [runId])
  expect(events.rows.map(({ topic }) => topic).sort()).toEqual([
    ...['task.dead-lettered', 'task.updated', 'task.updated', 'task.updated'],
  ])
})
