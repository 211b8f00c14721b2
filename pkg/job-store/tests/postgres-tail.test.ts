import { randomUUID } from 'node:crypto'
import { createPool, type Pool, type Tx } from '@millrace/postgres'
import { type TestDatabase, testDatabase, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { logLine } from '../src/contract/samples.js'
import { createPostgresJobStore, type JobStore } from '../src/index.js'

let database: TestDatabase
let pool: Pool
let store: JobStore
beforeAll(async () => {
  database = await testDatabase()
  pool = createPool({ connectionString: database.url, schema: 'metadata' })
  store = createPostgresJobStore({ pool, schema: 'metadata' })
  await store.prepare()
})
afterAll(async () => {
  await store.close()
  await database.drop()
})

/** A writer that has its place in the order of arrival and has not committed. */
async function uncommitted(place: { projectId: string; runId: string; jobId: string }, seq: number): Promise<Tx> {
  const tx = await pool.connect()
  await tx.query('begin')
  await tx.query(
    `insert into logs (project_id, run_id, task_id, attempt, seq, at, level, stream, task, message)
     values ($1, $2, $3, 1, $4, now(), 1, 'stdout', 'pay', 'slow')`,
    [place.projectId, place.runId, place.jobId, seq],
  )
  return tx
}

async function commit(tx: Tx): Promise<void> {
  await tx.query('commit')
  tx.release()
}

const seqs = (page: { lines: { seq: number }[] }) => page.lines.map((line) => line.seq)

describe('positions of lines that are settled', () => {
  it('go on exactly where they stand', async () => {
    const place = { projectId: randomUUID(), runId: randomUUID(), jobId: randomUUID() }
    await store.appendLogs([1, 2, 3, 4].map((seq) => logLine(place, { seq })))
    await waitFor(async () => {
      const { lines } = await store.readLogs(place, { limit: 10 })
      const after = lines[1]?.position ?? ''
      const rest = [
        await store.readLogs(place, { limit: 10, after }),
        await store.tailLogs(place, { limit: 10, from: after }),
      ]
      return rest.every((page) => seqs(page).join() === '3,4')
    })
  })
})

describe('a tail over writers that commit out of order', () => {
  it('shows what is committed at once, and later what was begun before it', async () => {
    const place = { projectId: randomUUID(), runId: randomUUID(), jobId: randomUUID() }
    const slow = await uncommitted(place, 1)
    await store.appendLogs([logLine(place, { seq: 2 })])
    const first = await store.tailLogs(place, { limit: 10 })
    expect(seqs(first)).toEqual([2])
    expect(first.lines[0]?.mayRepeat).toBe(true)
    await commit(slow)
    const second = await store.tailLogs(place, { limit: 10, from: first.position })
    expect(seqs(second)).toEqual([1, 2])
    expect(seqs(await store.readLogs(place, { limit: 10, after: first.position }))).toContain(1)
  })

  it('finds a line that was committed behind a sweep of several pages', async () => {
    const place = { projectId: randomUUID(), runId: randomUUID(), jobId: randomUUID() }
    const slow = await uncommitted(place, 1)
    await store.appendLogs([logLine(place, { seq: 2 })])
    await store.appendLogs([logLine(place, { seq: 3 })])
    const first = await store.tailLogs(place, { limit: 1 })
    expect(seqs(first)).toEqual([2])
    await commit(slow)
    let page = first
    while (page.next !== null) page = await store.tailLogs(place, { limit: 1, from: page.next })
    expect(seqs(await store.tailLogs(place, { limit: 10, from: page.position }))).toContain(1)
    expect(seqs(await store.tailLogs(place, { limit: 10, from: first.position }))).toContain(1)
  })

  it('repeats nothing that is settled', async () => {
    const place = { projectId: randomUUID(), runId: randomUUID(), jobId: randomUUID() }
    await store.appendLogs([1, 2, 3].map((seq) => logLine(place, { seq })))
    // Transactions of the whole server count, also those of other databases: they end sooner or later.
    await waitFor(async () => {
      const { position } = await store.tailLogs(place, { limit: 10 })
      return (await store.tailLogs(place, { limit: 10, from: position })).lines.length === 0
    })
  })
})
