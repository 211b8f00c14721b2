import type { Pool } from '@millrace/postgres'
import type { ArtifactRecord } from './domain/changes.js'
import { createMongoJobStore } from './mongo/mongo-job-store.js'
import type { DocumentKind, StoredRow } from './postgres/document-table.js'
import { storedColumns } from './postgres/document-table.js'
import { jobKind, runKind } from './postgres/documents.js'
import { type LogRow, selected, toLine } from './postgres/logs.js'

export interface CopiedDocuments {
  jobs: number
  runs: number
  artifacts: number
  lines: number
}

const pageRows = 200
const firstId = '00000000-0000-0000-0000-000000000000'

/**
 * Adds everything that a store on PostgreSQL holds to one on MongoDB. The facts themselves are copied, not what is folded
 * from them, so what is heard later merges with them as it would have before. May be repeated.
 */
export async function copyToMongo(pool: Pool, mongoUrl: string): Promise<CopiedDocuments> {
  const store = createMongoJobStore({ url: mongoUrl })
  try {
    await store.prepare()
    const runs = await copyKind(pool, runKind, (facts) => store.addFacts({ jobs: [], runs: facts }))
    const jobs = await copyKind(pool, jobKind, (facts) => store.addFacts({ jobs: facts, runs: [] }))
    const artifacts = await copyArtifacts(pool, (records) => store.apply({ jobs: [], runs: [], artifacts: records }))
    const lines = await copyLogs(pool, (rows) => store.appendLogs(rows.map(toLine)))
    return { jobs, runs, artifacts, lines }
  } finally {
    await store.close()
  }
}

async function copyKind<F extends { id: string }>(
  pool: Pool,
  kind: DocumentKind<F>,
  add: (facts: F[]) => Promise<void>,
): Promise<number> {
  return await inPages<StoredRow, string>(
    firstId,
    (after) =>
      pool.query<StoredRow>(`select ${storedColumns(kind)} from ${kind.table} where id > $1 order by id limit $2`, [
        after,
        pageRows,
      ]),
    ({ id }) => id,
    (rows) => add(rows.map((row) => kind.unpack(row))),
  )
}

interface ArtifactRow {
  id: string
  document: ArtifactRecord & { createdAt: string }
}

function copyArtifacts(pool: Pool, add: (records: ArtifactRecord[]) => Promise<void>): Promise<number> {
  return inPages<ArtifactRow, string>(
    firstId,
    (after) =>
      pool.query<ArtifactRow>('select id, document from artifacts where id > $1 order by id limit $2', [
        after,
        pageRows,
      ]),
    ({ id }) => id,
    (rows) => add(rows.map(({ document }) => ({ ...document, createdAt: new Date(document.createdAt) }))),
  )
}

/** Run by run, each in the order of arrival: that is the order in which they are numbered again. */
async function copyLogs(pool: Pool, add: (rows: LogRow[]) => Promise<void>): Promise<number> {
  let copied = 0
  let runId = await nextRunWithLogs(pool, firstId)
  while (runId !== undefined) {
    copied += await copyLogsOf(pool, runId, add)
    runId = await nextRunWithLogs(pool, runId)
  }
  return copied
}

async function nextRunWithLogs(pool: Pool, after: string): Promise<string | undefined> {
  const { rows } = await pool.query<{ run_id: string }>(
    'select run_id from logs where run_id > $1 order by run_id limit 1',
    [after],
  )
  return rows[0]?.run_id
}

function copyLogsOf(pool: Pool, runId: string, add: (rows: LogRow[]) => Promise<void>): Promise<number> {
  return inPages<LogRow, [string, number]>(
    ['0', 0],
    (after) =>
      pool.query<LogRow>(
        `select ${selected} from logs where run_id = $1 and (logs.xid, arrival) > ($2::xid8, $3)
         order by logs.xid, arrival limit $4`,
        [runId, ...after, pageRows],
      ),
    ({ xid, arrival }) => [xid, arrival],
    add,
  )
}

async function inPages<R, P>(
  start: P,
  read: (after: P) => Promise<{ rows: R[] }>,
  placeOf: (row: R) => P,
  add: (rows: R[]) => Promise<void>,
): Promise<number> {
  let copied = 0
  for (let after = start; ; ) {
    const { rows } = await read(after)
    const last = rows.at(-1)
    if (last === undefined) return copied
    await add(rows)
    copied += rows.length
    after = placeOf(last)
  }
}
