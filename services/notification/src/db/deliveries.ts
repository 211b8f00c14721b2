import type { Queryable } from '@millrace/postgres'
import type { DeliveryKind, DeliveryStatus } from '../domain/delivery.js'

export interface DeliveryRow {
  id: string
  subscriptionId: string
  kind: DeliveryKind
  type: string
  runId: string | null
  status: DeliveryStatus
  reason: string | null
  attemptCount: number
  nextAttemptAt: Date
  createdAt: Date
  finishedAt: Date | null
}

export interface AttemptRow {
  at: Date
  statusCode: number | null
  latencyMs: number
  error: string | null
  responseSnippet: string | null
}

const columns = `id, subscription_id as "subscriptionId", kind, type, run_id as "runId", status, reason,
  attempt_count as "attemptCount", next_attempt_at as "nextAttemptAt", created_at as "createdAt", finished_at as "finishedAt"`

export interface NewDelivery {
  id: string
  projectId: string
  subscriptionId: string
  eventId: string
  kind: DeliveryKind
  type: string
  runId: string | null
  body: string
  recipients: string[] | null
  endpoint: string
  traceparent: string | null
}

/** Answers the ids that are new: an event that comes again, also within one batch, adds nothing. */
export async function insertDeliveries(tx: Queryable, rows: readonly NewDelivery[]): Promise<string[]> {
  if (rows.length === 0) return []
  const pick = (name: keyof NewDelivery) => rows.map((row) => row[name])
  const inserted = await tx.query<{ id: string }>(
    `insert into deliveries (id, project_id, subscription_id, event_id, kind, type, run_id, body, recipients, endpoint, traceparent)
     select id, project_id, subscription_id, event_id, kind, type, run_id, body,
       (select array_agg(value) from json_array_elements_text(recipients::json)), endpoint, traceparent
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::uuid[], $8::text[], $9::text[],
       $10::text[], $11::text[])
       as d (id, project_id, subscription_id, event_id, kind, type, run_id, body, recipients, endpoint, traceparent)
     on conflict (subscription_id, event_id) do nothing
     returning id`,
    [
      pick('id'),
      pick('projectId'),
      pick('subscriptionId'),
      pick('eventId'),
      pick('kind'),
      pick('type'),
      pick('runId'),
      pick('body'),
      rows.map((row) => (row.recipients === null ? null : JSON.stringify(row.recipients))),
      pick('endpoint'),
      pick('traceparent'),
    ],
  )
  return inserted.rows.map((row) => row.id)
}

export async function findDelivery(
  db: Queryable,
  projectId: string,
  id: string,
): Promise<(DeliveryRow & { body: string }) | undefined> {
  const { rows } = await db.query<DeliveryRow & { body: string }>(
    `select ${columns}, body from deliveries where id = $1 and project_id = $2`,
    [id, projectId],
  )
  return rows[0]
}

export async function listAttempts(db: Queryable, deliveryId: string): Promise<AttemptRow[]> {
  const { rows } = await db.query<AttemptRow>(
    `select at, status_code as "statusCode", latency_ms as "latencyMs", error, response_snippet as "responseSnippet"
     from delivery_attempts where delivery_id = $1 order by number`,
    [deliveryId],
  )
  return rows
}

export interface DeliveryFilter {
  projectId: string
  subscriptionId: string | undefined
  runId: string | undefined
  statuses: readonly string[] | undefined
  afterId: string | undefined
  limit: number
}

export async function listDeliveries(db: Queryable, filter: DeliveryFilter): Promise<DeliveryRow[]> {
  const values: unknown[] = [filter.projectId, filter.limit]
  const conditions = ['project_id = $1']
  const narrow = (condition: string, value: unknown) => {
    if (value === undefined) return
    values.push(value)
    conditions.push(condition.replace('?', `$${values.length}`))
  }
  narrow('subscription_id = ?', filter.subscriptionId)
  narrow('run_id = ?', filter.runId)
  narrow('status = any(?::text[])', filter.statuses)
  narrow('id < ?', filter.afterId)
  const { rows } = await db.query<DeliveryRow>(
    `select ${columns} from deliveries where ${conditions.join(' and ')} order by id desc limit $2`,
    values,
  )
  return rows
}

/** A new round of tries, now. One that is being sent at this moment stays with its sender. */
export async function requeueDelivery(tx: Queryable, id: string): Promise<DeliveryRow> {
  const { rows } = await tx.query<DeliveryRow>(
    `update deliveries set status = 'pending', reason = null, finished_at = null,
       tries = case when claim_token is null then 0 else tries end,
       next_attempt_at = case when claim_token is null then clock_timestamp() else next_attempt_at end
     where id = $1 returning ${columns}`,
    [id],
  )
  return rows[0] as DeliveryRow
}

export async function moveDeliveries(tx: Queryable, subscriptionId: string, endpoint: string): Promise<void> {
  await tx.query(
    `update deliveries set endpoint = $2
     where subscription_id = $1 and status = 'pending' and kind <> 'notice' and endpoint <> $2`,
    [subscriptionId, endpoint],
  )
}
