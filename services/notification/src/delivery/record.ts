import { type AnyNewEvent, appendEvents } from '@millrace/events'
import { type Pool, type Tx, withTransaction } from '@millrace/postgres'
import type { ClaimedDelivery } from '../db/claim-deliveries.js'
import {
  type DecidedAttempt,
  type LockedSubscription,
  lockSubscriptions,
  storeAttempts,
  storeHealth,
} from '../db/record-attempts.js'
import { type Attempt, decideOutcome, endedReason, type Outcome } from '../domain/delivery.js'
import { assessEndpoint, type DisablePolicy, type DisableReason } from '../domain/endpoint-health.js'
import { deliveredEvent, failedEvent, failureAudit } from '../events.js'
import { SOURCE } from '../source.js'
import { deliveryMetrics } from '../telemetry.js'
import { disableSubscription } from './disable-subscription.js'

export interface Tried {
  delivery: ClaimedDelivery
  /** Undefined: it was not sent, because its subscription had ended. */
  attempt: Attempt | undefined
}

export interface RecordPolicy extends DisablePolicy {
  retryScheduleMs: readonly number[]
}

interface Decided extends DecidedAttempt {
  delivery: ClaimedDelivery
  outcome: Outcome
}

/** What a batch of tries came to: rows, endpoint health and events, all in one transaction. */
export async function recordTries(pool: Pool, policy: RecordPolicy, batch: readonly Tried[]): Promise<void> {
  await withTransaction(pool, async (tx) => {
    const subscriptions = await lockSubscriptions(tx, [...new Set(batch.map((one) => one.delivery.subscriptionId))])
    const decided = batch.flatMap((one) => decide(one, subscriptions, policy))
    const stored = await storeAttempts(tx, decided)
    deliveryMetrics.lostClaims.inc(decided.length - stored.size)
    const kept = decided.filter((one) => stored.has(one.deliveryId))
    await appendEvents(tx, SOURCE, kept.flatMap(endEvents))
    await applyHealth(tx, kept, subscriptions, policy)
    for (const one of kept)
      if (one.outcome.status !== 'pending') deliveryMetrics.ended.inc({ status: one.outcome.status })
  })
}

function decide(
  { delivery, attempt }: Tried,
  subscriptions: ReadonlyMap<string, LockedSubscription>,
  policy: RecordPolicy,
): Decided[] {
  const subscription = subscriptions.get(delivery.subscriptionId)
  if (subscription === undefined) return []
  const ended = endedReason(delivery.kind, subscription)
  const base = { delivery, deliveryId: delivery.id, claimToken: delivery.claimToken, attempt }
  if (attempt === undefined) {
    // Enabled again in the meantime: it is due at once.
    const outcome: Outcome =
      ended === undefined ? { status: 'pending', delayMs: 0 } : { status: 'failed', reason: ended }
    return [{ ...base, outcome }]
  }
  const tried = { kind: delivery.kind, tries: delivery.tries + 1, subscriptionEnded: ended }
  return [{ ...base, outcome: decideOutcome(tried, attempt, policy.retryScheduleMs, Math.random()) }]
}

function endEvents({ delivery, outcome }: Decided): AnyNewEvent[] {
  if (outcome.status === 'pending' || delivery.kind === 'notice') return []
  if (outcome.status === 'delivered') return [deliveredEvent(delivery)]
  const failed = failedEvent(delivery, outcome.reason)
  return delivery.kind === 'test' ? [failed] : [failed, failureAudit(delivery)]
}

/** Only the receivers' own endpoints are judged: a mail server that is down is no fault of whoever subscribed. */
async function applyHealth(
  tx: Tx,
  kept: readonly Decided[],
  subscriptions: ReadonlyMap<string, LockedSubscription>,
  policy: DisablePolicy,
): Promise<void> {
  const changed = new Map<string, { subscription: LockedSubscription; disable?: DisableReason }>()
  for (const { delivery, attempt, outcome } of kept) {
    const current = changed.get(delivery.subscriptionId)?.subscription ?? subscriptions.get(delivery.subscriptionId)
    if (current === undefined || attempt === undefined || delivery.kind !== 'event') continue
    if (current.channelType === 'email' || !current.enabled || current.deleted) continue
    const signal = { ok: attempt.ok, final: outcome.status === 'failed', gone: attempt.gone === true }
    const { health, disable } = assessEndpoint(current, signal, policy, current.now)
    const subscription = { ...current, ...health, enabled: disable === undefined }
    changed.set(delivery.subscriptionId, { subscription, ...(disable === undefined ? {} : { disable }) })
  }
  await storeHealth(
    tx,
    [...changed.values()].map(({ subscription, disable }) => ({ ...subscription, disable })),
  )
  for (const { subscription, disable } of changed.values()) {
    if (disable !== undefined) await disableSubscription(tx, subscription, disable)
  }
}
