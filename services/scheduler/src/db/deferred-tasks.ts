import type { Queryable } from '@millrace/postgres'
import { lockedRuns } from './locked-runs.js'
import { insertQueue, partOf } from './queue-sql.js'

export interface DeferredRow {
  task_id: string
  until: Date
  detail: string
}

/**
 * Puts tasks whose wait is over into their queue. What has ended or is paused meanwhile is only forgotten (a resume queues
 * it anew).
 */
export async function releaseDeferred(client: Queryable, limit: number): Promise<number> {
  const result = await client.query({
    name: 'release-deferred',
    text: `
with due as (
  select h.task_id, h.run_id from held_back h where h.until <= clock_timestamp() order by h.until limit $1
),
${lockedRuns('select run_id from due')},
released as (
  delete from held_back h using due where h.task_id = due.task_id and h.until <= clock_timestamp()
  returning h.task_id
),
queue as (
  ${insertQueue({
    row: 't',
    child: 't.idx >= 0',
    part: partOf('t.id'),
    from: `released join tasks t on t.id = released.task_id join run on run.id = t.run_id
  where t.status = 'queued' and run.status not in ('paused', 'queued')`,
  })}
)
select task_id from released`,
    values: [limit],
  })
  return result.rowCount ?? 0
}

export async function deferredOfRun(client: Queryable, runId: string): Promise<Map<string, DeferredRow>> {
  const result = await client.query<DeferredRow>({
    name: 'deferred-of-run',
    text: 'select task_id, until, detail from held_back where run_id = $1 and until > clock_timestamp()',
    values: [runId],
  })
  return new Map(result.rows.map((row) => [row.task_id, row]))
}
