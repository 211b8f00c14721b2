import { unprocessable } from '@millrace/errors'
import { appendEvents } from '@millrace/events'
import type { RouteHandler } from '@millrace/http'
import { type Tx, withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { cancelPending } from '../db/cancel-deliveries.js'
import { moveDeliveries } from '../db/deliveries.js'
import {
  findSubscription,
  type SubscriptionChange,
  type SubscriptionRow,
  updateSubscription,
} from '../db/subscriptions.js'
import { endpointOf } from '../domain/channel.js'
import { type Digest, readDigest } from '../domain/digest.js'
import type { Filter } from '../domain/filter.js'
import { failedEvent } from '../events.js'
import { SOURCE } from '../source.js'
import { channelOfRow, columnsOfChannel } from '../subscription-channel.js'
import { audit } from './audit.js'
import { absent, pathId } from './path-id.js'
import { type ChannelInput, readChannel } from './read-channel.js'
import { subscriptionView } from './views.js'

interface UpdateInput {
  events?: string[]
  filter?: Filter | null
  channel?: ChannelInput
  digest?: Digest | null
  enabled?: boolean
}

/** What is named is replaced whole, the rest stays. Deliveries under way go to the new address from their next try on. */
export function updateSubscriptionRoute(ctx: AppContext): RouteHandler {
  return async (req) => {
    const id = pathId(req, 'subscription')
    const input = req.body as UpdateInput
    // Names are resolved before the transaction: no lock waits for somebody's DNS.
    const before = await findSubscription(ctx.pool, req.identity.projectId, id)
    if (before === undefined) throw absent('subscription')
    const channel = input.channel && (await readChannel(ctx.egress, input.channel, channelOfRow(ctx.box, before)))
    if (channel !== undefined && channel.type !== before.channelType) {
      throw unprocessable('channel_type_fixed', 'The type of a channel cannot change; make another subscription.')
    }
    const row = await withTransaction(ctx.pool, async (tx) => {
      const current = await findSubscription(tx, req.identity.projectId, id, true)
      if (current === undefined) throw absent('subscription')
      const columns = channel === undefined ? current : columnsOfChannel(ctx.box, id, channel)
      const updated = await updateSubscription(tx, changeOf(current, input, columns))
      if (updated.url !== current.url) await moveDeliveries(tx, id, endpointOf(updated.url))
      if (current.enabled && !updated.enabled) await endPending(tx, id)
      await audit(tx, req, 'subscription.updated', `subscription:${id}`)
      return updated
    })
    ctx.bus.hint()
    return { status: 200, body: subscriptionView(ctx.box, row, req.identity.role) }
  }
}

function changeOf(
  current: SubscriptionRow,
  input: UpdateInput,
  columns: Pick<SubscriptionRow, 'url' | 'recipients' | 'headers'>,
): SubscriptionChange {
  const enabled = input.enabled ?? current.enabled
  const turnedOff = current.enabled && !enabled
  return {
    id: current.id,
    events: input.events ?? current.events,
    filter: input.filter === undefined ? current.filter : (input.filter ?? {}),
    url: columns.url,
    recipients: columns.recipients,
    headers: columns.headers,
    digestEvery: input.digest === undefined ? current.digestEvery : readDigest(input.digest, current.channelType),
    enabled,
    disabledReason: enabled ? null : turnedOff ? 'by_request' : current.disabledReason,
  }
}

async function endPending(tx: Tx, id: string): Promise<void> {
  const ended = await cancelPending(tx, id, ['event', 'digest'], 'subscription_disabled')
  await appendEvents(
    tx,
    SOURCE,
    ended.map((delivery) => failedEvent(delivery, 'subscription_disabled')),
  )
}
