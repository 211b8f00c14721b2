import type { Queryable } from '@millrace/postgres'
import type { ChannelType } from '../domain/channel.js'
import type { DeliveryKind } from '../domain/delivery.js'

export interface ClaimedDelivery {
  id: string
  claimToken: string
  projectId: string
  subscriptionId: string
  kind: DeliveryKind
  type: string
  runId: string | null
  body: string
  /** Tries of this round so far, this one not included. */
  tries: number
  endpoint: string
  traceparent: string | null
  ownRecipients: string[] | null
  channelType: ChannelType
  url: string | null
  recipients: string[] | null
  headers: Buffer | null
  secret: Buffer | null
  /** Only while it still counts. */
  previousSecret: Buffer | null
  enabled: boolean
  deleted: boolean
}

export interface ClaimRequest {
  limit: number
  maxPerEndpoint: number
  /** How many this process is sending to each endpoint now. */
  busy: ReadonlyMap<string, number>
  claimMs: number
}

// Endpoints are walked by skipping along the index, and each gives only as many rows as it may have in flight: a backlog
// of one endpoint costs the others neither a turn nor a scan. Tried: taking the oldest due rows of all endpoints and
// leaving out the busy ones, which reads through a busy endpoint's whole backlog on every claim.
const claimStatement = `
with recursive clock as (select clock_timestamp() as now),
busy as (select * from unnest($3::text[], $4::int[]) as b (endpoint, in_flight)),
endpoints as (
  (select endpoint from deliveries where status = 'pending' order by endpoint limit 1)
  union all
  select (select d.endpoint from deliveries d where d.status = 'pending' and d.endpoint > e.endpoint order by d.endpoint limit 1)
  from endpoints e where e.endpoint is not null
),
picked as (
  select due.id from endpoints e
  left join busy b on b.endpoint = e.endpoint
  cross join lateral (
    select d.id, d.next_attempt_at from deliveries d
    where d.endpoint = e.endpoint and d.status = 'pending' and d.next_attempt_at <= (select now from clock)
    order by d.next_attempt_at
    limit greatest($2 - coalesce(b.in_flight, 0), 0)
    for update skip locked
  ) due
  where e.endpoint is not null
  order by due.next_attempt_at limit $1
)
update deliveries d
set claim_token = gen_random_uuid(), next_attempt_at = (select now from clock) + make_interval(secs => $5 / 1000.0)
from picked p, subscriptions s
where d.id = p.id and s.id = d.subscription_id
returning d.id, d.claim_token as "claimToken", d.project_id as "projectId", d.subscription_id as "subscriptionId", d.kind,
  d.type, d.run_id as "runId", d.body, d.tries, d.endpoint, d.traceparent, d.recipients as "ownRecipients",
  s.channel_type as "channelType", s.url, s.recipients, s.headers, s.secret,
  case when s.previous_secret_until > (select now from clock) then s.previous_secret end as "previousSecret",
  s.enabled, s.deleted_at is not null as deleted`

export async function claimDeliveries(db: Queryable, request: ClaimRequest): Promise<ClaimedDelivery[]> {
  const { rows } = await db.query<ClaimedDelivery>({
    name: 'claim-deliveries',
    text: claimStatement,
    values: [
      request.limit,
      request.maxPerEndpoint,
      [...request.busy.keys()],
      [...request.busy.values()],
      request.claimMs,
    ],
  })
  return rows
}

/** Given back unsent: due at once, no try used up. */
export async function releaseClaim(db: Queryable, id: string, claimToken: string): Promise<void> {
  await db.query(
    `update deliveries set claim_token = null, next_attempt_at = clock_timestamp()
     where id = $1 and claim_token = $2 and status = 'pending'`,
    [id, claimToken],
  )
}
