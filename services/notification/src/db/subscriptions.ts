import type { Queryable } from '@millrace/postgres'
import type { ChannelType } from '../domain/channel.js'
import type { Filter } from '../domain/filter.js'

export interface SubscriptionRow {
  id: string
  projectId: string
  events: string[]
  filter: Filter
  channelType: ChannelType
  url: string | null
  recipients: string[] | null
  headers: Buffer | null
  secret: Buffer | null
  digestEvery: string | null
  enabled: boolean
  disabledReason: string | null
  createdBy: string
  createdAt: Date
  updatedAt: Date
}

const columns = `id, project_id as "projectId", events, filter, channel_type as "channelType", url, recipients, headers,
  secret, digest_every as "digestEvery", enabled, disabled_reason as "disabledReason", created_by as "createdBy", created_at as "createdAt",
  updated_at as "updatedAt"`

export type NewSubscription = Omit<SubscriptionRow, 'createdAt' | 'updatedAt' | 'enabled' | 'disabledReason'> & {
  ownerEmail: string | null
}

export async function insertSubscription(tx: Queryable, row: NewSubscription): Promise<SubscriptionRow> {
  const { rows } = await tx.query<SubscriptionRow>(
    `insert into subscriptions (id, project_id, events, filter, channel_type, url, recipients, headers, secret, created_by, owner_email,
       digest_every)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) returning ${columns}`,
    [
      row.id,
      row.projectId,
      row.events,
      JSON.stringify(row.filter),
      row.channelType,
      row.url,
      row.recipients,
      row.headers,
      row.secret,
      row.createdBy,
      row.ownerEmail,
      row.digestEvery,
    ],
  )
  return rows[0] as SubscriptionRow
}

export async function countSubscriptions(tx: Queryable, projectId: string): Promise<number> {
  // Serialises creations within a project, so that two at once cannot both take the last place.
  await tx.query(`select pg_advisory_xact_lock(hashtext('notification.subscriptions'), hashtext($1))`, [projectId])
  const { rows } = await tx.query<{ count: number }>(
    'select count(*) as count from subscriptions where project_id = $1 and deleted_at is null',
    [projectId],
  )
  return rows[0]?.count ?? 0
}

export async function findSubscription(
  db: Queryable,
  projectId: string,
  id: string,
  lock = false,
): Promise<SubscriptionRow | undefined> {
  const { rows } = await db.query<SubscriptionRow>(
    `select ${columns} from subscriptions where id = $1 and project_id = $2 and deleted_at is null ${lock ? 'for no key update' : ''}`,
    [id, projectId],
  )
  return rows[0]
}

export async function listSubscriptions(
  db: Queryable,
  projectId: string,
  limit: number,
  afterId: string | undefined,
): Promise<SubscriptionRow[]> {
  const { rows } = await db.query<SubscriptionRow>(
    `select ${columns} from subscriptions
     where project_id = $1 and deleted_at is null and ($3::uuid is null or id < $3) order by id desc limit $2`,
    [projectId, limit, afterId ?? null],
  )
  return rows
}

/** Every subscription of these projects that listens at all; which one matches is the domain's to say. */
export async function activeSubscriptions(
  db: Queryable,
  projectIds: readonly string[],
  topics: readonly string[],
): Promise<SubscriptionRow[]> {
  const { rows } = await db.query<SubscriptionRow>(
    `select ${columns} from subscriptions
     where project_id = any($1::uuid[]) and deleted_at is null and enabled and events && $2::text[]`,
    [projectIds, topics],
  )
  return rows
}

export type SubscriptionChange = Pick<
  SubscriptionRow,
  'id' | 'events' | 'filter' | 'url' | 'recipients' | 'headers' | 'digestEvery' | 'enabled' | 'disabledReason'
>

/** Switching it on again forgets past failures: it starts with a clean record. */
export async function updateSubscription(tx: Queryable, change: SubscriptionChange): Promise<SubscriptionRow> {
  const { rows } = await tx.query<SubscriptionRow>(
    `update subscriptions set events = $2, filter = $3, url = $4, recipients = $5, headers = $6,
       failed_in_a_row = case when $7 and not enabled then 0 else failed_in_a_row end,
       failing_since = case when $7 and not enabled then null else failing_since end,
       enabled = $7, disabled_reason = $8, digest_every = $9, updated_at = clock_timestamp()
     where id = $1 returning ${columns}`,
    [
      change.id,
      change.events,
      JSON.stringify(change.filter),
      change.url,
      change.recipients,
      change.headers,
      change.enabled,
      change.disabledReason,
      change.digestEvery,
    ],
  )
  return rows[0] as SubscriptionRow
}

export async function markSubscriptionDeleted(tx: Queryable, id: string): Promise<void> {
  // What it held in confidence goes at once; the rest stays for the deliveries that name it.
  await tx.query(
    `update subscriptions set deleted_at = clock_timestamp(), enabled = false, secret = null, previous_secret = null, headers = null
     where id = $1`,
    [id],
  )
}

export async function replaceSecret(tx: Queryable, id: string, secret: Buffer, graceSeconds: number): Promise<void> {
  await tx.query(
    `update subscriptions set previous_secret = case when $3 > 0 then secret end,
       previous_secret_until = case when $3 > 0 then clock_timestamp() + make_interval(secs => $3) end,
       secret = $2, updated_at = clock_timestamp()
     where id = $1`,
    [id, secret, graceSeconds],
  )
}
