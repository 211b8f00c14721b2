import { appendEvents, recordAudit } from '@millrace/events'
import type { Tx } from '@millrace/postgres'
import { v7 } from 'uuid'
import { cancelPending } from '../db/cancel-deliveries.js'
import { insertDeliveries } from '../db/deliveries.js'
import type { LockedSubscription } from '../db/record-attempts.js'
import { mailEndpoint } from '../domain/channel.js'
import type { DisableReason } from '../domain/endpoint-health.js'
import type { Body } from '../domain/event-body.js'
import { failedEvent } from '../events.js'
import { SOURCE } from '../source.js'
import { deliveryMetrics } from '../telemetry.js'

const explanations: Record<DisableReason, string> = {
  endpoint_gone: 'The receiver answered 410 Gone.',
  too_many_failures: 'Too many deliveries in a row failed after all their tries.',
  failing_too_long: 'No delivery has succeeded for too long.',
}

/**
 * What follows from an endpoint that keeps failing, in the transaction that noticed it: the rest is not sent, and the
 * mail to the owner is a delivery like any other, so it survives a crash and is tried until it arrives.
 */
export async function disableSubscription(
  tx: Tx,
  subscription: LockedSubscription,
  reason: DisableReason,
): Promise<void> {
  const cancelled = await cancelPending(tx, subscription.id, ['event', 'digest'], 'subscription_disabled')
  await appendEvents(
    tx,
    SOURCE,
    cancelled.map((delivery) => failedEvent(delivery, 'subscription_disabled')),
  )
  await recordAudit(tx, SOURCE, {
    projectId: subscription.projectId,
    actor: 'service:notification',
    action: 'subscription.disabled',
    target: `subscription:${subscription.id}`,
    ip: '',
    requestId: '',
  })
  if (subscription.ownerEmail !== null) await tellOwner(tx, subscription, subscription.ownerEmail, reason)
  deliveryMetrics.disabled.inc({ reason })
}

async function tellOwner(tx: Tx, subscription: LockedSubscription, owner: string, reason: DisableReason) {
  const id = v7()
  const body: Body = {
    type: 'subscription.disabled',
    timestamp: subscription.now.toISOString(),
    data: {
      subscriptionId: subscription.id,
      // Path and query may be secret.
      address: subscription.url === null ? '' : new URL(subscription.url).origin,
      reason: explanations[reason],
      message: 'Nothing more is sent to it until it is enabled again. Failed deliveries can be sent again by hand.',
    },
  }
  await insertDeliveries(tx, [
    {
      id,
      projectId: subscription.projectId,
      subscriptionId: subscription.id,
      eventId: `notice:${id}`,
      kind: 'notice',
      type: body.type,
      runId: null,
      body: JSON.stringify(body),
      recipients: [owner],
      endpoint: mailEndpoint,
      traceparent: null,
    },
  ])
}
