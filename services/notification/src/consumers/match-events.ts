import { crashPoint } from '@millrace/crash-point'
import type { EventOf } from '@millrace/events'
import { type Tx, withTransaction } from '@millrace/postgres'
import { v7 } from 'uuid'
import type { AppContext } from '../context.js'
import { insertDeliveries, type NewDelivery } from '../db/deliveries.js'
import { collectItems, type DigestItem, knownMails, mailKey } from '../db/digests.js'
import { countMails, type Mailing } from '../db/recipient-mails.js'
import { activeSubscriptions, type SubscriptionRow } from '../db/subscriptions.js'
import { endpointOf } from '../domain/channel.js'
import { digestMs } from '../domain/digest.js'
import { bodyOf } from '../domain/event-body.js'
import { matchesFilter } from '../domain/filter.js'
import { type NotificationType, type NotifiedTopic, typesOf } from '../domain/topic.js'

type Event = EventOf<NotifiedTopic>

/** Each event becomes a delivery for every subscription that asked for it: a batch, one transaction. */
export function matchEvents(ctx: AppContext): (events: Event[]) => Promise<void> {
  return async (events) => {
    const created = await withTransaction(ctx.pool, async (tx) => {
      const projects = [...new Set(events.map((event) => event.data.projectId))]
      const types = [...new Set(events.flatMap((event) => typesOf(event.topic, 'failed')))]
      const subscriptions = await activeSubscriptions(tx, projects, types)
      const matched = deliveriesOf(ctx, events, subscriptions)
      const inserted = await insertDeliveries(tx, await withoutCollected(ctx, tx, matched))
      crashPoint('notification.matched')
      return inserted
    })
    if (created.length > 0) ctx.loop.wake()
  }
}

interface Matched {
  subscription: SubscriptionRow
  delivery: NewDelivery
}

function deliveriesOf(ctx: AppContext, events: readonly Event[], subscriptions: readonly SubscriptionRow[]): Matched[] {
  return events.flatMap((event) => {
    const status = event.topic === 'workflow.completed' ? event.data.status : undefined
    return typesOf(event.topic, status).flatMap((type) => deliveriesOfType(ctx, { event, type, status }, subscriptions))
  })
}

interface TypedEvent {
  event: Event
  type: NotificationType
  status: string | undefined
}

function deliveriesOfType(
  { config: { publicUrl } }: AppContext,
  { event, type, status }: TypedEvent,
  subscriptions: readonly SubscriptionRow[],
): Matched[] {
  const { projectId } = event.data
  const { workflow, labels, runId } = subjectOf(event)
  const matching = subscriptions.filter(
    (one) =>
      one.projectId === projectId &&
      one.events.includes(type) &&
      matchesFilter(one.filter, { type, workflow, labels, status }),
  )
  if (matching.length === 0) return []
  const body = JSON.stringify(bodyOf(event, { type, publicUrl }))
  return matching.map((subscription) => ({
    subscription,
    delivery: {
      id: v7(),
      projectId: subscription.projectId,
      subscriptionId: subscription.id,
      // One event may be told under two names; each is told once.
      eventId: type === event.topic ? event.id : `${event.id}#${type}`,
      kind: 'event' as const,
      type,
      runId,
      body,
      recipients: null,
      endpoint: endpointOf(subscription.url),
      traceparent: event.traceparent ?? null,
    },
  }))
}

/** Schedules have no labels; workers and queues belong to no workflow. */
function subjectOf({ data }: Event): { workflow?: string; labels: Record<string, string>; runId: string | null } {
  if ('runId' in data) return data
  return { labels: {}, runId: null, ...('workflow' in data ? { workflow: data.workflow } : {}) }
}

/** Mail may be collected: because its subscription says so, or because somebody would get too much of it. */
async function withoutCollected(ctx: AppContext, tx: Tx, matched: readonly Matched[]): Promise<NewDelivery[]> {
  const mails = await newMails(tx, matched)
  const limited = mails.filter(({ subscription }) => subscription.digestEvery === null)
  const numberOf = limited.length === 0 ? () => 0 : await countMails(tx, limited.map(mailingOf))
  const { mailsPerRecipient, overflowDigestMs } = ctx.delivery
  const sent = matched.filter((one) => !isMail(one)).map(({ delivery }) => delivery)
  const items: DigestItem[] = []
  for (const mail of mails) {
    const { subscription, delivery } = mail
    const collect = (waitMs: number) =>
      items.push({ subscriptionId: subscription.id, eventId: delivery.eventId, body: delivery.body, waitMs })
    if (subscription.digestEvery !== null) collect(digestMs(subscription.digestEvery))
    else if (numberOf(mailingOf(mail)) > mailsPerRecipient) collect(overflowDigestMs)
    else sent.push(delivery)
  }
  await collectItems(tx, items)
  return sent
}

const isMail = ({ subscription }: Matched): boolean => subscription.channelType === 'email'

const mailingOf = ({ subscription }: Matched): Mailing => ({
  projectId: subscription.projectId,
  recipients: subscription.recipients ?? [],
})

/** Without those that were told or collected before: an event that comes again must not be told in the other way. */
async function newMails(tx: Tx, matched: readonly Matched[]): Promise<Matched[]> {
  const mails = matched.filter(isMail)
  const known = await knownMails(
    tx,
    mails.map(({ delivery }) => delivery),
  )
  return mails.filter(({ delivery }) => {
    const key = mailKey(delivery)
    const isNew = !known.has(key)
    known.add(key)
    return isNew
  })
}
