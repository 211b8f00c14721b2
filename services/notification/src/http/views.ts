import type { AttemptRow, DeliveryRow } from '../db/deliveries.js'
import type { SubscriptionRow } from '../db/subscriptions.js'
import type { Channel } from '../domain/channel.js'
import type { SecretBox } from '../domain/secret-box.js'
import { maskHeaders } from '../domain/webhook-headers.js'
import { channelOfRow } from '../subscription-channel.js'

export function subscriptionView(box: SecretBox, row: SubscriptionRow): Record<string, unknown> {
  return {
    id: row.id,
    events: row.events,
    filter: row.filter,
    channel: channelView(channelOfRow(box, row)),
    enabled: row.enabled,
    disabledReason: row.disabledReason,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

function channelView(channel: Channel): Channel {
  return channel.type === 'webhook' ? { ...channel, headers: maskHeaders(channel.headers) } : channel
}

export function deliveryView(row: DeliveryRow): Record<string, unknown> {
  return {
    id: row.id,
    subscriptionId: row.subscriptionId,
    type: row.type,
    runId: row.runId,
    status: row.status,
    reason: row.reason,
    attemptCount: row.attemptCount,
    nextAttemptAt: row.status === 'pending' ? row.nextAttemptAt.toISOString() : null,
    createdAt: row.createdAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}

export function attemptView(row: AttemptRow): Record<string, unknown> {
  return { ...row, at: row.at.toISOString() }
}
