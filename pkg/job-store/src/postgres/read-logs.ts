import type { Pool } from '@millrace/postgres'
import { formatLogPosition } from '../domain/log-position.js'
import type { LogPage, LogScope, LogSkip, Skipped, TailPage, TailRequest } from '../port.js'
import { addPosition, BEGINNING, laterPlace, parsePosition, placeOf, positionAt } from './log-place.js'
import { type LogRow, scopeConditions, selected, toLine } from './logs.js'

const horizonOf = 'pg_snapshot_xmin(pg_current_snapshot())'

/** `next` is `horizon|place`: a read of several pages keeps the horizon of its first. */
export async function readLogs(
  pool: Pool,
  scope: LogScope,
  page: { limit: number; next?: string; after?: string },
): Promise<LogPage> {
  const byJob = scope.jobId !== undefined
  const after = parsePosition(page.after ?? BEGINNING)
  const conditions = addPosition(scopeConditions(scope), after, byJob)
  const [begun, place] = page.next?.split('|') ?? []
  if (place !== undefined) {
    const later = laterPlace(place, byJob)
    conditions.add(later.text, ...later.values)
  }
  const { rows } = await pool.query<LogRow & { horizon: string }>(
    `select ${selected}, ${horizonOf}::text as horizon from logs where ${conditions.where}
     order by ${byJob ? 'attempt, at, seq, lease_id' : 'at, arrival'} limit ${Math.trunc(page.limit)}`,
    conditions.values,
  )
  const horizon = begun ?? rows[0]?.horizon ?? '0'
  const bound = `${after.bound.xid}.${after.bound.arrival}`
  const lines = rows.map((row) => ({
    ...toLine(row),
    position: formatLogPosition({ bound, seen: { horizon, place: placeOf(row, byJob) } }),
  }))
  const last = rows.at(-1)
  const more = last !== undefined && rows.length >= page.limit
  return { lines, next: more ? `${horizon}|${placeOf(last, byJob)}` : null }
}

/**
 * Order of arrival is (xid, arrival), because nothing can appear any more below the snapshot's xmin: that is the
 * horizon. Lines above it are given at once and given again by the next sweep, so an open transaction elsewhere
 * delays nobody. A sweep of several pages keeps the horizon of its first: later ones could hide a line that was
 * committed behind the sweep's back. `next` is `xid.arrival.horizon`, a position is `xid.arrival`.
 */
export async function tailLogs(pool: Pool, scope: LogScope, page: TailRequest): Promise<TailPage> {
  const from = parsePosition(page.from ?? BEGINNING)
  const { seen } = from
  const conditions = addPosition(scopeConditions(scope), from, scope.jobId !== undefined)
  const until = page.until === undefined ? undefined : parsePosition(page.until).bound
  if (until !== undefined) conditions.add('(xid, arrival) <= (?::text::xid8, ?::bigint)', until.xid, until.arrival)
  const { rows } = await pool.query<LogRow & { horizon: string }>(
    `with horizon as (select ${horizonOf}::text as horizon)
     select page.*, horizon from horizon left join lateral (
       select ${selected} from logs where ${conditions.where} order by logs.xid, logs.arrival limit ${Math.trunc(page.limit)}
     ) page on true`,
    conditions.values,
  )
  const horizon = from.bound.horizon ?? rows[0]?.horizon ?? '0'
  const end = until === undefined ? positionAt(horizon, 0, seen) : positionAt(until.xid, until.arrival, seen)
  const begun = positionAt(from.bound.xid, from.bound.arrival, seen)
  const found = rows.filter((row) => row.task_id !== null)
  const lines = found.map((row) => {
    const mayRepeat = BigInt(row.xid) >= BigInt(horizon)
    return { ...toLine(row), mayRepeat, position: mayRepeat ? end : positionAt(row.xid, row.arrival, seen) }
  })
  const last = found.at(-1)
  if (last === undefined || found.length < page.limit) return { lines, begun, next: null, position: end }
  const next = formatLogPosition({ bound: `${last.xid}.${last.arrival}.${horizon}`, seen })
  return { lines, begun, next, position: lines.at(-1)?.position ?? end }
}

/** Unsettled lines are never skipped over; they count among those that are kept. */
export async function skipLogs(pool: Pool, scope: LogScope, { keep, from, settled }: LogSkip): Promise<Skipped> {
  const start = parsePosition(from ?? BEGINNING)
  const conditions = addPosition(scopeConditions(scope), start, scope.jobId !== undefined)
  const { where } = conditions
  const unsettled = `(select count(*) from logs where ${where} and xid >= ${horizonOf})`
  const { rows } = await pool.query<{ xid: string; arrival: number }>(
    `select xid::text as xid, arrival from logs where ${where} ${settled ? `and xid < ${horizonOf}` : ''}
     order by logs.xid desc, logs.arrival desc
     offset ${settled ? `greatest(0, ${Math.trunc(keep)} - ${unsettled})` : Math.trunc(keep)} limit 1`,
    conditions.values,
  )
  const last = rows[0]
  if (last === undefined) return { position: undefined, count: 0 }
  const position = positionAt(last.xid, last.arrival, start.seen)
  if (from === undefined) return { position, count: 0 }
  conditions.add('(xid, arrival) <= (?::text::xid8, ?::bigint)', last.xid, last.arrival)
  const counted = await pool.query<{ count: number }>(
    `select count(*) as count from logs where ${conditions.where}`,
    conditions.values,
  )
  return { position, count: Number(counted.rows[0]?.count ?? 0) }
}
