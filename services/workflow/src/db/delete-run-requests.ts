import type { Queryable } from '@millrace/postgres'

/**
 * What is left of deleted runs. One whose dedupe key may still be asked for again (a call is repeated until its answer is
 * recorded) stays for eight days as nothing but that key; the deletion is published once more by then.
 */
export async function deleteRunRequests(db: Queryable, runIds: readonly string[]): Promise<void> {
  await db.query(
    `with gone as (
       delete from run_requests where id = any($1::uuid[])
         and (dedupe_key is null or created_at < clock_timestamp() - interval '8 days')
     )
     update run_requests set input = 'null', labels = '{}', origin = null, requested_by = '', traceparent = null,
       waiting = false, taken_at = coalesce(taken_at, clock_timestamp())
     where id = any($1::uuid[]) and dedupe_key is not null and created_at >= clock_timestamp() - interval '8 days'`,
    [runIds],
  )
}
