import type { Queryable } from '@millrace/postgres'

export interface DeliveryStatistics {
  notifications: number
  pending: number
  delivered: number
  failed: number
  attempts: number
  lastDeliveredAt: Date | null
  lastFailedAt: Date | null
  p50: number | null
  p95: number | null
  p99: number | null
}

/** Of the latest alone: a subscription may have millions, and what counts is how it fares now. */
const latest = 1_000

export async function deliveryStatistics(db: Queryable, subscriptionId: string): Promise<DeliveryStatistics> {
  const { rows } = await db.query<DeliveryStatistics>(
    `with latest as materialized (
       select id, status, attempt_count, finished_at from deliveries
       where subscription_id = $1 order by id desc limit ${latest}
     ), times as (
       select percentile_cont(array[0.5, 0.95, 0.99]) within group (order by a.latency_ms) as at
       from latest l join delivery_attempts a on a.delivery_id = l.id
     )
     select count(*)::int as notifications,
       (count(*) filter (where status = 'pending'))::int as pending,
       (count(*) filter (where status = 'delivered'))::int as delivered,
       (count(*) filter (where status = 'failed'))::int as failed,
       coalesce(sum(attempt_count), 0)::int as attempts,
       max(finished_at) filter (where status = 'delivered') as "lastDeliveredAt",
       max(finished_at) filter (where status = 'failed') as "lastFailedAt",
       (select round(at[1])::int from times) as p50, (select round(at[2])::int from times) as p95,
       (select round(at[3])::int from times) as p99
     from latest`,
    [subscriptionId],
  )
  return rows[0] as DeliveryStatistics
}
