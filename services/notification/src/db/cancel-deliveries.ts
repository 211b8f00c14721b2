import type { Queryable } from '@millrace/postgres'

export interface EndedDelivery {
  id: string
  subscriptionId: string
  projectId: string
  runId: string | null
  traceparent: string | null
}

export const cancelSlice = 1000

/**
 * Ends what waits, a slice at a time so that no transaction grows without bound. A delivery that is being sent is left
 * to its sender, which sees the subscription's state when it records; one beyond the slice ends when it falls due. What was collected
 * for a digest goes with it.
 */
export async function cancelPending(
  tx: Queryable,
  subscriptionId: string,
  kinds: readonly string[],
  reason: string,
): Promise<EndedDelivery[]> {
  const { rows } = await tx.query<EndedDelivery>(
    `update deliveries set status = 'failed', reason = $3, finished_at = clock_timestamp()
     where id in (
       select id from deliveries
       where subscription_id = $1 and status = 'pending' and claim_token is null and kind = any($2::text[])
       order by id limit ${cancelSlice} for update)
     returning id, subscription_id as "subscriptionId", project_id as "projectId", run_id as "runId", traceparent`,
    [subscriptionId, kinds, reason],
  )
  await tx.query('delete from digest_items where subscription_id = $1 and delivery_id is null', [subscriptionId])
  return rows
}
