import { crashPoint } from '@millrace/crash-point'
import type { EventOf } from '@millrace/events'
import { withTransaction } from '@millrace/postgres'
import { v7 } from 'uuid'
import type { AppContext } from '../context.js'
import { insertDeliveries, type NewDelivery } from '../db/deliveries.js'
import { activeSubscriptions, type SubscriptionRow } from '../db/subscriptions.js'
import { endpointOf } from '../domain/channel.js'
import { bodyOf } from '../domain/event-body.js'
import { matchesFilter } from '../domain/filter.js'
import type { NotifiedTopic } from '../domain/topic.js'

type Event = EventOf<NotifiedTopic>

/** Each event becomes a delivery for every subscription that asked for it: a batch, one transaction. */
export function matchEvents(ctx: AppContext): (events: Event[]) => Promise<void> {
  return async (events) => {
    const created = await withTransaction(ctx.pool, async (tx) => {
      const projects = [...new Set(events.map((event) => event.data.projectId))]
      const topics = [...new Set(events.map((event) => event.topic))]
      const subscriptions = await activeSubscriptions(tx, projects, topics)
      const inserted = await insertDeliveries(tx, deliveriesOf(events, subscriptions))
      crashPoint('notification.matched')
      return inserted
    })
    if (created.length > 0) ctx.loop.wake()
  }
}

function deliveriesOf(events: readonly Event[], subscriptions: readonly SubscriptionRow[]): NewDelivery[] {
  return events.flatMap((event) => {
    const matching = subscriptions.filter((subscription) => isMatch(subscription, event))
    if (matching.length === 0) return []
    const body = JSON.stringify(bodyOf(event))
    return matching.map((subscription) => ({
      id: v7(),
      projectId: subscription.projectId,
      subscriptionId: subscription.id,
      eventId: event.id,
      kind: 'event' as const,
      type: event.topic,
      runId: event.data.runId,
      body,
      recipients: null,
      endpoint: endpointOf(subscription.url),
      traceparent: event.traceparent ?? null,
    }))
  })
}

function isMatch(subscription: SubscriptionRow, event: Event): boolean {
  if (subscription.projectId !== event.data.projectId || !subscription.events.includes(event.topic)) return false
  const { workflow, labels } = event.data
  const status = event.topic === 'workflow.completed' ? event.data.status : undefined
  return matchesFilter(subscription.filter, { topic: event.topic, workflow, labels, status })
}
