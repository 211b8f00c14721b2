import { setTimeout as sleep } from 'node:timers/promises'
import { quantile, round } from '../stats.js'
import type { Target } from '../target.js'

export interface Fired {
  schedules: number
  fired: number
  twice: number
  /** From the second in which all were due to the request of the last run. */
  lastMs: number
  p50Ms: number
}

const IN_FLIGHT = 40

/** So many schedules due in one and the same second. */
export async function schedulesInOneSecond(target: Target, count: number, timeoutMs = 120_000): Promise<Fired> {
  const { api, database } = target
  await api.define('load-tick', { only: { uses: 'noop' } })
  let left = count
  const create = async () => {
    while (left-- > 0) await api.call('POST', '/api/v1/schedules', { workflow: 'load-tick', cron: '0 0 1 1 *' })
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, create))
  const { rows } = await database.query<{ due: Date }>(
    `update scheduler.schedules set next_at = date_trunc('second', clock_timestamp()) + interval '3 s'
     where workflow = 'load-tick' returning next_at as due`,
  )
  const due = rows[0]?.due ?? new Date()
  await untilFired(target, count, due.getTime() + timeoutMs)
  return read(target, count, due)
}

async function untilFired({ database }: Target, count: number, deadline: number): Promise<void> {
  for (;;) {
    const { rows } = await database.query<{ n: number }>(
      `select count(*)::int as n from scheduler.schedules where workflow = 'load-tick' and last_run_id is not null`,
    )
    if ((rows[0]?.n ?? 0) >= count) return
    if (Date.now() > deadline) return
    await sleep(500)
  }
}

/** As the workflow service has them: a tick is a request with a key of its own. */
async function read({ database }: Target, schedules: number, due: Date): Promise<Fired> {
  const { rows } = await database.query<{ late: number; schedule: string }>(
    `select extract(epoch from created_at - $1::timestamptz)::float8 * 1000 as late, requested_by as schedule
     from workflow.run_requests where workflow = 'load-tick'`,
    [due],
  )
  const late = rows.map((row) => row.late)
  const distinct = new Set(rows.map(({ schedule }) => schedule)).size
  return {
    schedules,
    fired: distinct,
    twice: rows.length - distinct,
    lastMs: round(Math.max(0, ...late), 0),
    p50Ms: late.length > 0 ? round(quantile(late, 0.5), 0) : Number.NaN,
  }
}
