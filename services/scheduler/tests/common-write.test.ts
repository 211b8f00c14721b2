import { migrateEvents } from '@millrace/events'
import type { Logger } from '@millrace/logger'
import { createPool, migrate, type Pool, sqlState } from '@millrace/postgres'
import { type TestDatabase, testDatabase, testLogger } from '@millrace/testkit'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BatchRow, type BatchRows, emptyRows, shapeOf } from '../src/db/batch/clauses.js'
import { commonDefinition, commonFunction } from '../src/db/batch/common-function.js'
import { commonShape, writeCommon } from '../src/db/batch/common-write.js'
import { noDequeue } from '../src/domain/queue.js'

let database: TestDatabase
let pool: Pool

beforeAll(async () => {
  database = await testDatabase()
  pool = createPool({ connectionString: database.url, schema: 'scheduler', max: 2 })
  await migrateEvents(pool)
  await migrate(pool, { schema: 'scheduler', directory: new URL('../migrations', import.meta.url) })
}, 120_000)

afterAll(async () => {
  await pool?.end()
  await database?.drop()
})

const newRun = (id: string): BatchRow<'newRuns'> => ({
  ...{ id, projectId: v7(), workflowId: null, workflow: 'w', version: 1, versionId: v7(), status: 'running' },
  ...{ reason: null, priority: 5, labels: '{}', requestedBy: 'user:ada', traceparent: null, origin: null },
  ...{ queueDefaults: null, input: '{"a":1}', output: null, error: null, started: true, ended: false },
  createdAt: '2026-11-18T12:00:00.123456Z',
})

const newTask = (id: string, runId: string): BatchRow<'newTasks'> => ({
  ...{ id, runId, projectId: v7(), ordinal: 0, key: 'a', name: 'a', uses: 'noop', queue: 'default', priority: 5 },
  ...{ status: 'running', attempt: 1, maxAttempts: 3, timeoutMs: null, error: null },
  ...{ leaseId: v7(), sessionId: v7(), workerId: 'w1' },
})

const runChange = (runId: string, expectedRev: number): BatchRow<'runChanges'> => ({
  ...{ runId, expectedRev, status: 'running', reason: null, setOutput: false, output: null, setError: false },
  ...{ error: null, started: false, ended: false, reopened: false, dropRetries: false },
})

const event = (runId: string, taskId: string | null, position: number): BatchRow<'events'> => ({
  ...{ position, runId, taskId, topic: 'task.updated', source: 'scheduler', traceparent: null, withTimes: false },
  data: JSON.stringify({ runId }),
})

/** A run with a task that is leased, as the function writes it. */
async function createdRun() {
  const [runId, taskId] = [v7(), v7()]
  const rows = emptyRows()
  const task = newTask(taskId, runId)
  rows.newRuns.push(newRun(runId))
  rows.newTasks.push(task)
  expect(await writeCommon(pool, rows, noDequeue)).toBeDefined()
  return { runId, taskId, leaseId: task.leaseId ?? '' }
}

const guard = (run: { runId: string; taskId: string; leaseId: string }, token = 1): BatchRow<'guards'> => ({
  ...{ runId: run.runId, taskId: run.taskId, token, leaseId: run.leaseId, sessionId: null },
})

function oneRun(): BatchRows {
  const rows = emptyRows()
  rows.newRuns.push(newRun(v7()))
  return rows
}

/** As in a database that was restored without it. */
async function dropFunction(): Promise<void> {
  await pool.query(`drop function ${commonFunction}`)
  await pool.query(
    `do $$ declare name text; begin
      for name in select typname from pg_type where typname like 'batch\\_%' and typtype = 'c' loop
        execute 'drop type ' || name || ' cascade'; end loop; end $$`,
  )
}

/** Warnings by the state of their error. */
function listening() {
  const warnings: unknown[] = []
  const warn = ({ err }: { err: unknown }) => void warnings.push(sqlState(err))
  return { warnings, logger: { ...testLogger, warn } as unknown as Logger }
}

const revOf = async (runId: string): Promise<number> =>
  (await pool.query<{ rev: number }>('select rev from runs where id = $1', [runId])).rows[0]?.rev ?? 0

describe('the function that writes common batches', () => {
  // Review a change of this file as you would review SQL; `vitest -u` writes it anew.
  test('has a text that a person can read', async () => {
    const text = commonDefinition.replaceAll(commonFunction.slice('write_common'.length), '')
    await expect(`${text}\n`).toMatchFileSnapshot('./statements/write-common.sql')
  })

  test('creates a run with its tasks, and says which token a lease has', async () => {
    const [runId, taskId] = [v7(), v7()]
    const rows = emptyRows()
    rows.newRuns.push(newRun(runId))
    rows.newTasks.push(newTask(taskId, runId))
    rows.events.push(event(runId, taskId, 0), event(runId, null, 1))
    await pool.query(`insert into run_inbox (run_id, command, dedupe_key) values ($1, '{}', $2)`, [runId, runId])
    const result = await writeCommon(pool, rows, noDequeue)
    expect(result).toMatchObject({ won: new Map([[runId, 1]]), tokens: new Map([[taskId, 1]]), withInbox: [runId] })
    const { rows: runs } = await pool.query(`select status, created_at::text, input from runs where id = $1`, [runId])
    expect(runs).toMatchObject([{ status: 'running', input: { a: 1 } }])
    expect(String((runs[0] as { created_at: string }).created_at)).toContain('.123456')
    const log = await pool.query('select sequence, subject from events.log where key = $1 order by id', [runId])
    expect(log.rows).toEqual([
      { sequence: 1, subject: taskId },
      { sequence: 1, subject: runId },
    ])
  })

  test('writes nothing of a batch in which one unit lost, whichever guard it lost on', async () => {
    const [good, other] = [await createdRun(), await createdRun()]
    const change = (rows: BatchRows) => {
      rows.runChanges.push(runChange(good.runId, 1), runChange(other.runId, 1))
      rows.guards.push(guard(good), guard(other))
      return rows
    }
    const losing: ((rows: BatchRows) => void)[] = [
      (rows) => rows.runChanges.splice(1, 1, runChange(other.runId, 7)),
      (rows) => rows.runChanges.splice(1, 1, runChange(v7(), 1)),
      (rows) => rows.guards.splice(1, 1, guard(other, 2)),
      (rows) => rows.guards.splice(1, 1, guard({ ...other, leaseId: v7() })),
      (rows) => rows.guards.splice(1, 1, { ...guard(other), sessionId: v7() }),
    ]
    for (const lose of losing) {
      const rows = change(emptyRows())
      lose(rows)
      expect(await writeCommon(pool, rows, noDequeue)).toBeUndefined()
    }
    await pool.query('update tasks set holds_slots = true where id = $1', [other.taskId])
    expect(await writeCommon(pool, change(emptyRows()), noDequeue)).toBeUndefined()
    expect([await revOf(good.runId), await revOf(other.runId)]).toEqual([1, 1])
    await pool.query('update tasks set holds_slots = false where id = $1', [other.taskId])
    expect(await writeCommon(pool, change(emptyRows()), noDequeue)).toBeDefined()
    expect([await revOf(good.runId), await revOf(other.runId)]).toEqual([2, 2])
  })

  test('a run that exists leaves nothing of the batch', async () => {
    const there = await createdRun()
    const fresh = v7()
    const rows = emptyRows()
    rows.newRuns.push(newRun(fresh), newRun(there.runId))
    expect(await writeCommon(pool, rows, noDequeue)).toBeUndefined()
    expect(await revOf(fresh)).toBe(0)
  })

  test('two replicas that change one run at once: one wins, the other writes nothing', async () => {
    const run = await createdRun()
    const rows = () => {
      const batch = emptyRows()
      batch.runChanges.push(runChange(run.runId, 1))
      batch.events.push(event(run.runId, null, 0))
      return batch
    }
    const results = await Promise.all([writeCommon(pool, rows(), noDequeue), writeCommon(pool, rows(), noDequeue)])
    expect(results.filter((result) => result !== undefined)).toHaveLength(1)
    expect(await revOf(run.runId)).toBe(2)
  })

  test('what has no binary form is left to the statement', async () => {
    const run = await createdRun()
    const rows = emptyRows()
    rows.runChanges.push(runChange(run.runId, 1))
    rows.guards.push(guard({ ...run, leaseId: 'not-an-id' }))
    expect(await writeCommon(pool, rows, noDequeue)).toBeUndefined()
  })

  test('an error of the data is thrown, and nothing is written', async () => {
    const run = await createdRun()
    const rows = emptyRows()
    rows.runChanges.push(runChange(run.runId, 1))
    rows.payloads.push({ taskId: run.taskId, unit: run.runId, input: null, output: '"a\0b"' })
    await expect(writeCommon(pool, rows, noDequeue)).rejects.toMatchObject({ code: '22021' })
    expect(await revOf(run.runId)).toBe(1)
  })

  test('is made anew in a database that was restored without it', async () => {
    await createdRun()
    await dropFunction()
    // Connections do not outlive a restored database.
    await pool.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
    await pool.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
    const rows = emptyRows()
    rows.newRuns.push(newRun(v7()))
    expect(await writeCommon(pool, rows, noDequeue), 'left to the statement').toBeUndefined()
    await createdRun()
  })

  test('is given up with one warning where its role may not make it', async () => {
    await dropFunction()
    const role = `no_create_${commonFunction}`
    await pool.query(`do $$ begin create role ${role}; exception when duplicate_object then null; end $$`)
    await pool.query(`grant usage on schema scheduler to ${role}`)
    const theirs = createPool({ connectionString: database.url, schema: 'scheduler', max: 1, settings: { role } })
    const { warnings, logger } = listening()
    for (let i = 0; i < 3; i += 1) expect(await writeCommon(theirs, oneRun(), noDequeue, logger)).toBeUndefined()
    expect(warnings).toEqual(['42501'])
    await theirs.end()
    await pool.query(`drop owned by ${role}`)
    await pool.query(`drop role ${role}`)
  })

  test('is given up when it fails in the same way again and again, and not tried for each batch', async () => {
    const { warnings, logger } = listening()
    const fresh = createPool({ connectionString: database.url, schema: 'scheduler', max: 1 })
    const asked: unknown[] = []
    const query = fresh.query.bind(fresh) as (...args: unknown[]) => Promise<unknown>
    fresh.query = ((...args: unknown[]) => {
      asked.push(args[0])
      return query('select 1 from no_such_function()')
    }) as typeof fresh.query
    for (let i = 0; i < 30; i += 1) expect(await writeCommon(fresh, oneRun(), noDequeue, logger)).toBeUndefined()
    expect([warnings, asked.length]).toEqual([['42883'], 20])
    await fresh.end()
  })

  test('knows which batches it can write', () => {
    const rows = emptyRows()
    rows.runChanges.push(runChange(v7(), 1))
    expect(commonShape(shapeOf(rows, true))).toBe(true)
    expect(commonShape(shapeOf({ ...rows, firedTimers: [{ id: 1, unit: v7() }] }, true))).toBe(false)
    expect(commonShape(shapeOf({ ...rows, runChanges: [{ ...runChange(v7(), 1), dropRetries: true }] }, true))).toBe(
      false,
    )
    expect(commonShape(shapeOf(emptyRows(), true)), 'nothing but a look into the queue').toBe(false)
  })
})
