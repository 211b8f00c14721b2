import { quotaExceeded } from '@millrace/errors'
import type { ProjectQuotas } from '@millrace/iam-client'
import type { Queryable, Tx } from '@millrace/postgres'

const today = `(clock_timestamp() at time zone 'utc')::date`
const DAY_MS = 86_400_000

/**
 * Takes `runs` of what the project may start today, in the transaction that starts them: the row's lock makes replicas
 * count each other. Projects without a limit are not counted, and so have no row that all their runs would queue for.
 */
export async function takeRuns(tx: Tx, projectId: string, runs: number, quotas: ProjectQuotas): Promise<void> {
  const { runsPerDay: limit, revision } = quotas
  if (limit === null || runs === 0) return
  if (await add(tx, projectId, runs, limit, revision)) return
  await countAnew(tx, projectId, revision)
  if (await add(tx, projectId, runs, limit, revision)) return
  const retryAfter = Math.ceil((DAY_MS - (Date.now() % DAY_MS)) / 1000)
  throw quotaExceeded('runsPerDay', `The project starts at most ${limit} runs a day (UTC).`, retryAfter)
}

/** Of those taken, how many did not come to be. */
export async function giveBackRuns(tx: Tx, projectId: string, runs: number): Promise<void> {
  if (runs === 0) return
  await tx.query(`update daily_runs set runs = greatest(0, runs - $2) where project_id = $1 and day = ${today}`, [
    projectId,
    runs,
  ])
}

async function add(tx: Tx, projectId: string, runs: number, limit: number, revision: number): Promise<boolean> {
  const { rowCount } = await tx.query({
    name: 'workflow-take-daily-runs',
    text: `update daily_runs set runs = runs + $2
      where project_id = $1 and day = ${today} and revision >= $4 and runs + $2 <= $3`,
    values: [projectId, runs, limit, revision],
  })
  return rowCount === 1
}

/** Does nothing when the day is counted for these quotas already. */
async function countAnew(tx: Tx, projectId: string, revision: number): Promise<void> {
  const { rows } = await tx.query(
    `select 1 from daily_runs where project_id = $1 and day = ${today} and revision >= $2`,
    [projectId, revision],
  )
  if (rows.length > 0) return
  await tx.query(`delete from daily_runs where project_id = $1 and day < ${today}`, [projectId])
  await tx.query(
    `insert into daily_runs as d (project_id, day, runs, revision) values ($1, ${today}, $2, $3)
     on conflict (project_id, day) do update set runs = excluded.runs, revision = excluded.revision
       where d.revision < excluded.revision`,
    [projectId, await countRunsToday(tx, projectId), revision],
  )
}

export async function countRunsToday(db: Queryable, projectId: string): Promise<number> {
  const { rows } = await db.query<{ count: number }>(
    `select count(*)::int as count from run_requests
     where project_id = $1 and created_at >= ${today}::timestamp at time zone 'utc'`,
    [projectId],
  )
  return rows[0]?.count ?? 0
}
