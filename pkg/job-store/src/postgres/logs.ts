import type { Pool } from '@millrace/postgres'
import { type LogLevel, logLevels } from '../domain/statuses.js'
import type { LogCounts, LogLine, LogScope } from '../port.js'
import { sanitiseText, toJsonbText } from '../sanitise.js'
import { Conditions } from './list-documents.js'

export interface LogRow {
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

export const selected =
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

export function toLine(row: LogRow): LogLine {
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

export function scopeConditions(scope: LogScope): Conditions {
  return new Conditions()
    .add('project_id = ?::uuid', scope.projectId)
    .add('run_id = ?::uuid', scope.runId)
    .add('task_id = ?::uuid', scope.jobId)
    .add('attempt = ?', scope.attempt)
    .add(
      'level = any(?::smallint[])',
      scope.levels?.map((level) => logLevels.indexOf(level)),
    )
    .add('seq > ?', scope.afterSeq)
    .add('task = ?', scope.task)
    .add('at >= ?::timestamptz', scope.from)
    .add('at < ?::timestamptz', scope.to)
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
