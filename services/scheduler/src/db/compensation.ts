import type { Queryable } from '@millrace/postgres'

/** A task `t` compensates another: no other key holds a dot. A cancel of its run does not reach it. */
export const isCompensation = `t.key like '%.compensate'`

/** How many compensations of a run have begun, and how many have failed. */
export async function countCompensations(client: Queryable, runId: string): Promise<{ begun: number; failed: number }> {
  const result = await client.query<{ begun: number; failed: number }>({
    name: 'count-compensations',
    text: `
select count(*) filter (where attempt > 0)::int as begun, count(*) filter (where status = 'failed')::int as failed
from tasks t where run_id = $1 and idx = -1 and ${isCompensation}`,
    values: [runId],
  })
  return result.rows[0] ?? { begun: 0, failed: 0 }
}
