import type { Tx } from '@millrace/postgres'
import type { ChannelType } from '../domain/channel.js'
import type { Attempt, Outcome } from '../domain/delivery.js'

export interface LockedSubscription {
  id: string
  projectId: string
  channelType: ChannelType
  url: string | null
  enabled: boolean
  deleted: boolean
  failedInARow: number
  failingSince: Date | null
  ownerEmail: string | null
  now: Date
}

/**
 * Before any delivery row, and in id order: the order in which everybody here takes locks. NO KEY, because inserting a
 * delivery takes a key share lock on its subscription, in no order: with a full lock the two could wait for each other.
 */
export async function lockSubscriptions(tx: Tx, ids: readonly string[]): Promise<Map<string, LockedSubscription>> {
  const { rows } = await tx.query<LockedSubscription>(
    `select id, project_id as "projectId", channel_type as "channelType", url, enabled, deleted_at is not null as deleted,
       failed_in_a_row as "failedInARow", failing_since as "failingSince", owner_email as "ownerEmail", clock_timestamp() as now
     from subscriptions where id = any($1::uuid[]) order by id for no key update`,
    [ids],
  )
  return new Map(rows.map((row) => [row.id, row]))
}

export interface DecidedAttempt {
  deliveryId: string
  claimToken: string
  /** Undefined when it was ended without being sent. */
  attempt: Attempt | undefined
  outcome: Outcome
}

/** Answers the deliveries that were still theirs: a claim that ran out and was taken over records nothing. */
export async function storeAttempts(tx: Tx, decided: readonly DecidedAttempt[]): Promise<Set<string>> {
  const { rows } = await tx.query<{ id: string; number: number }>(
    `with given as (
       select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::float8[], $6::int[])
         as g (id, claim_token, status, reason, delay_ms, tried)
     ), locked as (
       select d.id from deliveries d join given g on g.id = d.id
       where d.claim_token = g.claim_token and d.status = 'pending' order by d.id for update of d
     )
     update deliveries d set status = g.status, reason = g.reason, claim_token = null, tries = d.tries + g.tried,
       attempt_count = d.attempt_count + g.tried,
       next_attempt_at = clock_timestamp() + make_interval(secs => coalesce(g.delay_ms, 0) / 1000),
       finished_at = case when g.status <> 'pending' then clock_timestamp() end
     from given g join locked l on l.id = g.id where d.id = l.id
     returning d.id, d.attempt_count as number`,
    [
      decided.map((one) => one.deliveryId),
      decided.map((one) => one.claimToken),
      decided.map((one) => one.outcome.status),
      decided.map((one) => ('reason' in one.outcome ? one.outcome.reason : null)),
      decided.map((one) => ('delayMs' in one.outcome ? one.outcome.delayMs : null)),
      decided.map((one) => (one.attempt === undefined ? 0 : 1)),
    ],
  )
  const numbers = new Map(rows.map((row) => [row.id, row.number]))
  await insertAttempts(tx, decided, numbers)
  return new Set(numbers.keys())
}

async function insertAttempts(tx: Tx, decided: readonly DecidedAttempt[], numbers: ReadonlyMap<string, number>) {
  const made = decided.flatMap(({ deliveryId, attempt }) => {
    const number = numbers.get(deliveryId)
    return attempt === undefined || number === undefined ? [] : [{ ...attempt, deliveryId, number }]
  })
  if (made.length === 0) return
  await tx.query(
    `insert into delivery_attempts (delivery_id, number, at, status_code, latency_ms, error, response_snippet)
     select * from unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::int[], $5::int[], $6::text[], $7::text[])`,
    [
      made.map((one) => one.deliveryId),
      made.map((one) => one.number),
      made.map((one) => one.at),
      made.map((one) => one.statusCode),
      made.map((one) => one.latencyMs),
      made.map((one) => one.error),
      made.map((one) => one.responseSnippet),
    ],
  )
}

export interface HealthChange {
  id: string
  failedInARow: number
  failingSince: Date | null
  disable: string | undefined
}

export async function storeHealth(tx: Tx, changes: readonly HealthChange[]): Promise<void> {
  if (changes.length === 0) return
  await tx.query(
    `update subscriptions s set failed_in_a_row = h.failed_in_a_row, failing_since = h.failing_since,
       enabled = s.enabled and h.disable is null, disabled_reason = coalesce(h.disable, s.disabled_reason),
       updated_at = case when h.disable is null then s.updated_at else clock_timestamp() end
     from unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::text[]) as h (id, failed_in_a_row, failing_since, disable)
     where s.id = h.id`,
    [
      changes.map((change) => change.id),
      changes.map((change) => change.failedInARow),
      changes.map((change) => change.failingSince),
      changes.map((change) => change.disable ?? null),
    ],
  )
}
