import { type Pool, type Tx, withTransaction } from '@millrace/postgres'
import { v7 } from 'uuid'
import { mailEndpoint } from '../domain/channel.js'
import { digestBody, maxListed } from '../domain/digest.js'

export interface DigestItem {
  subscriptionId: string
  eventId: string
  body: string
  /** How long the first one waits for others. */
  waitMs: number
}

export const mailKey = (mail: { subscriptionId: string; eventId: string }): string =>
  `${mail.subscriptionId} ${mail.eventId}`

/** Which of these were told or collected before: an event that comes again must not be told in the other way. */
export async function knownMails(
  tx: Tx,
  mails: readonly { subscriptionId: string; eventId: string }[],
): Promise<Set<string>> {
  if (mails.length === 0) return new Set()
  const { rows } = await tx.query<{ subscriptionId: string; eventId: string }>(
    `with given as (select * from unnest($1::uuid[], $2::text[]) as g (subscription_id, event_id))
     select subscription_id as "subscriptionId", event_id as "eventId" from given join deliveries using (subscription_id, event_id)
     union all
     select subscription_id, event_id from given join digest_items using (subscription_id, event_id)`,
    [mails.map((mail) => mail.subscriptionId), mails.map((mail) => mail.eventId)],
  )
  return new Set(rows.map(mailKey))
}

/**
 * Adds to what a subscription collects, and begins a digest where none is waiting. The subscription's row is locked, as it
 * is while a digest takes its items: an item either is taken by the digest that waits, or sees that it has begun.
 */
export async function collectItems(tx: Tx, items: readonly DigestItem[]): Promise<void> {
  if (items.length === 0) return
  const { rows } = await tx.query<{ id: string }>(
    `insert into digest_items (subscription_id, event_id, body)
     select * from unnest($1::uuid[], $2::text[], $3::text[]) on conflict do nothing returning subscription_id as id`,
    [items.map((item) => item.subscriptionId), items.map((item) => item.eventId), items.map((item) => item.body)],
  )
  const waits = new Map(items.map((item) => [item.subscriptionId, item.waitMs]))
  const ids = [...new Set(rows.map(({ id }) => id))].sort()
  if (ids.length === 0) return
  await tx.query('select from subscriptions where id = any($1::uuid[]) order by id for no key update', [ids])
  await tx.query(
    `insert into deliveries (id, project_id, subscription_id, event_id, kind, type, body, endpoint, next_attempt_at)
     select given.id, s.project_id, s.id, 'digest:' || given.id, 'digest', 'digest', '', $4,
       clock_timestamp() + make_interval(secs => given.wait_ms / 1000)
     from unnest($1::uuid[], $2::uuid[], $3::float8[]) as given (id, subscription_id, wait_ms)
     join subscriptions s on s.id = given.subscription_id
     where not exists (select from deliveries d where d.subscription_id = s.id and d.kind = 'digest'
       and d.status = 'pending' and d.claim_token is null and d.body = '')`,
    [ids.map(() => v7()), ids, ids.map((id) => waits.get(id) ?? 0), mailEndpoint],
  )
}

/** Takes what was collected, once: every try sends the same. Undefined when another digest has told of it all. */
export function takeItems(pool: Pool, deliveryId: string, subscriptionId: string): Promise<string | undefined> {
  return withTransaction(pool, async (tx) => {
    await tx.query('select from subscriptions where id = $1 for no key update', [subscriptionId])
    await tx.query(
      `update digest_items set delivery_id = $1 where subscription_id = $2 and delivery_id is null
         and not exists (select from digest_items where delivery_id = $1)`,
      [deliveryId, subscriptionId],
    )
    const { rows } = await tx.query<{ body: string; count: number }>(
      `select body, count(*) over ()::int as count from digest_items where delivery_id = $1
       order by created_at, event_id limit ${maxListed}`,
      [deliveryId],
    )
    if (rows.length === 0) return undefined
    const bodies = rows.map((row) => row.body)
    const body = JSON.stringify(digestBody(bodies, rows[0]?.count ?? 0, new Date()))
    await tx.query('update deliveries set body = $2 where id = $1', [deliveryId, body])
    return body
  })
}
