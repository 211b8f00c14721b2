import { unprocessable } from '@millrace/errors'
import type { Pool } from '@millrace/postgres'
import { type LogLevel, logLevels } from '../domain/statuses.js'
import type { LogCounts, LogLine, LogPage, LogScope, TailPage } from '../port.js'
import { sanitiseText, toJsonbText } from '../sanitise.js'
import { Conditions } from './list-documents.js'

interface LogRow {
  project_id: string
  run_id: string
  task_id: string
  attempt: number
  lease_id: string
  seq: number
  at: Date
  level: number
  stream: string
  task: string
  message: string
  xid: string
  arrival: number
}

const selected =
  'project_id, run_id, task_id, attempt, lease_id, seq, at, level, stream, task, message, xid::text as xid, arrival'

/** Rows go in by key, so that two appends of the same lines wait for each other instead of deadlocking. */
export async function appendLogs(pool: Pool, lines: LogLine[]): Promise<void> {
  if (lines.length === 0) return
  const rows = lines.map(toRow).sort(byPlace)
  await pool.query({
    name: 'logs-append',
    text: `insert into logs (project_id, run_id, task_id, attempt, lease_id, seq, at, level, stream, task, message)
      select * from json_to_recordset($1::json) as x(project_id uuid, run_id uuid, task_id uuid, attempt int, lease_id uuid,
        seq bigint, at timestamptz, level smallint, stream text, task text, message text)
      on conflict do nothing`,
    values: [toJsonbText(rows)],
  })
}

type InsertedRow = Omit<LogRow, 'xid' | 'arrival'>

function toRow(line: LogLine): InsertedRow {
  const { attempt, seq, at, stream, task, message } = line
  const level = logLevels.indexOf(line.level)
  return {
    project_id: line.projectId,
    run_id: line.runId,
    task_id: line.jobId,
    attempt,
    lease_id: line.leaseId,
    seq,
    at,
    level,
    stream,
    task,
    message,
  }
}

function byPlace(a: InsertedRow, b: InsertedRow): number {
  if (a.task_id !== b.task_id) return a.task_id < b.task_id ? -1 : 1
  if (a.lease_id !== b.lease_id) return a.lease_id < b.lease_id ? -1 : 1
  return a.attempt - b.attempt || a.seq - b.seq
}

function toLine(row: LogRow): LogLine {
  const { attempt, seq, at, stream, task, message } = row
  const level: LogLevel = logLevels[row.level] ?? 'info'
  return {
    projectId: row.project_id,
    runId: row.run_id,
    jobId: row.task_id,
    task,
    attempt,
    leaseId: row.lease_id,
    seq,
    at,
    level,
    stream,
    message,
  }
}

function scopeConditions(scope: LogScope): Conditions {
  return new Conditions()
    .add('project_id = ?::uuid', scope.projectId)
    .add('run_id = ?::uuid', scope.runId)
    .add('task_id = ?::uuid', scope.jobId)
    .add('attempt = ?', scope.attempt)
    .add('level >= ?', scope.level === undefined ? undefined : logLevels.indexOf(scope.level))
    .add('seq > ?', scope.afterSeq)
}

const positionSyntax = /^(\d{1,19})\.(\d{1,18})(?:\.(\d{1,19}))?$/

/** Positions come back from clients: what no tail gave out is refused before it reaches a statement. */
function parsePosition(text: string): { xid: string; arrival: string; horizon: string | undefined } {
  const [, xid, arrival, horizon] = positionSyntax.exec(text) ?? []
  if (xid === undefined || arrival === undefined) throw unprocessable('invalid_cursor', 'The cursor is not valid.')
  return { xid, arrival, horizon }
}

export async function readLogs(
  pool: Pool,
  scope: LogScope,
  page: { limit: number; next?: string; arrivedAfter?: string },
): Promise<LogPage> {
  const conditions = scopeConditions(scope)
  const position = page.arrivedAfter === undefined ? undefined : parsePosition(page.arrivedAfter)
  conditions.add('(xid, arrival) > (?::text::xid8, ?::bigint)', position?.xid, position?.arrival)
  const place = page.next?.split('|') ?? [undefined]
  const byJob = scope.jobId !== undefined
  const after = byJob
    ? '(attempt, at, seq, lease_id) > (?::int, ?::timestamptz, ?::bigint, ?::uuid)'
    : '(at, arrival) > (?::timestamptz, ?::bigint)'
  conditions.add(after, ...place)
  const { rows } = await pool.query<LogRow>(
    `select ${selected} from logs where ${conditions.where}
     order by ${byJob ? 'attempt, at, seq, lease_id' : 'at, arrival'} limit ${Math.trunc(page.limit)}`,
    conditions.values,
  )
  const last = rows.at(-1)
  const next = last === undefined || rows.length < page.limit ? null : placeOf(last, byJob)
  return { lines: rows.map(toLine), next }
}

function placeOf(row: LogRow, byJob: boolean): string {
  const at = row.at.toISOString()
  return byJob ? `${row.attempt}|${at}|${row.seq}|${row.lease_id}` : `${at}|${row.arrival}`
}

/**
 * Order of arrival is (xid, arrival), because nothing can appear any more below the snapshot's xmin: that is the
 * horizon. Lines above it are given at once and given again by the next sweep, so an open transaction elsewhere
 * delays nobody. A sweep of several pages keeps the horizon of its first: later ones could hide a line that was
 * committed behind the sweep's back. `next` is `xid.arrival.horizon`, a position is `xid.arrival`.
 */
export async function tailLogs(pool: Pool, scope: LogScope, page: { limit: number; from?: string }): Promise<TailPage> {
  const { xid, arrival, horizon: begun } = parsePosition(page.from ?? '0.0')
  const conditions = scopeConditions(scope).add('(xid, arrival) > (?::text::xid8, ?::bigint)', xid, arrival)
  const { rows } = await pool.query<LogRow & { horizon: string }>(
    `with horizon as (select pg_snapshot_xmin(pg_current_snapshot())::text as horizon)
     select page.*, horizon from horizon left join lateral (
       select ${selected} from logs where ${conditions.where} order by logs.xid, logs.arrival limit ${Math.trunc(page.limit)}
     ) page on true`,
    conditions.values,
  )
  const horizon = begun ?? rows[0]?.horizon ?? '0'
  const found = rows.filter((row) => row.task_id !== null)
  const lines = found.map((row) => ({ ...toLine(row), mayRepeat: BigInt(row.xid) >= BigInt(horizon) }))
  const last = found.at(-1)
  if (last === undefined || found.length < page.limit) return { lines, next: null, position: `${horizon}.0` }
  const settled = BigInt(last.xid) < BigInt(horizon)
  const next = `${last.xid}.${last.arrival}.${horizon}`
  return { lines, next, position: settled ? `${last.xid}.${last.arrival}` : `${horizon}.0` }
}

export async function countLogs(pool: Pool, projectId: string, runId: string, jobId: string): Promise<LogCounts> {
  const { rows } = await pool.query<{ level: number; lines: number; bytes: number }>(
    `select level, count(*) as lines, sum(octet_length(message)) as bytes from logs
     where task_id = $1 and project_id = $2 and run_id = $3 group by level`,
    [sanitiseText(jobId), projectId, runId],
  )
  const counts: LogCounts = { lines: 0, bytes: 0, byLevel: { debug: 0, info: 0, warn: 0, error: 0 } }
  for (const row of rows) {
    counts.lines += row.lines
    counts.bytes += Number(row.bytes)
    counts.byLevel[logLevels[row.level] ?? 'info'] += row.lines
  }
  return counts
}
