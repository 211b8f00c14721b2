import type pg from 'pg'

/** What pg_stat_statements needs to be there from the start of the server. */
export const statementSettings = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
  'pg_stat_statements.max': '5000',
  'pg_stat_statements.track_planning': 'on',
  track_io_timing: 'on',
}

interface Row {
  calls: string
  total: number
  mean: number
  planning: number
  rows: string
  wal: string
  query: string
}

export async function resetStatements(database: pg.Client): Promise<void> {
  await database.query('create extension if not exists pg_stat_statements')
  await database.query('select pg_stat_statements_reset()')
}

/** The statements that took the most of the server's time since the reset, one line each. */
export async function topStatements(database: pg.Client, count = 25): Promise<string> {
  const { rows } = await database.query<Row>(
    `select calls, total_exec_time + total_plan_time as total, mean_exec_time as mean, mean_plan_time as planning, rows,
            wal_bytes as wal, query
       from pg_stat_statements
      order by 2 desc limit $1`,
    [count],
  )
  const all = await database.query<{ total: number; calls: string }>(
    'select sum(total_exec_time + total_plan_time) as total, sum(calls) as calls from pg_stat_statements',
  )
  const lines = rows.map((row) => {
    const text = row.query.replaceAll(/\s+/g, ' ').slice(0, 200)
    const kib = Math.round(Number(row.wal) / 1024)
    return `${row.total.toFixed(0).padStart(7)} ms ${row.calls.padStart(6)} calls ${row.mean.toFixed(3)} ms each, planned in ${row.planning.toFixed(3)} ms, ${row.rows} rows, ${kib} KiB WAL: ${text}`
  })
  const sum = all.rows[0]
  return [`${sum?.total.toFixed(0)} ms in ${sum?.calls} statements`, ...lines].join('\n')
}

export interface StatementSums {
  totalMs: number
  planMs: number
  calls: number
  /** Rows that statements reading the log of events gave. */
  eventRows: number
}

/** Of all statements since the reset but the bench's own. */
export async function statementSums(database: pg.Client): Promise<StatementSums> {
  const { rows } = await database.query<StatementSums>(
    `select coalesce(sum(total_exec_time + total_plan_time), 0)::float8 as "totalMs",
       coalesce(sum(total_plan_time), 0)::float8 as "planMs",
       coalesce(sum(calls), 0)::float8 as calls,
       coalesce(sum(rows) filter (where query ~ 'from (events\\.)?log\\M' and query !~* 'insert|delete'), 0)::float8 as "eventRows"
     from pg_stat_statements where toplevel and query !~ 'bench_probe|pg_stat_statements'`,
  )
  const [sums] = rows
  if (!sums) throw new Error('no sums')
  return sums
}
