import { type Role, roleAllows } from '@millrace/identity'
import type { AttemptRow, DeliveryRow } from '../db/deliveries.js'
import type { SubscriptionRow } from '../db/subscriptions.js'
import type { Channel } from '../domain/channel.js'
import type { SecretBox } from '../domain/secret-box.js'
import { maskEveryHeader, masked, maskHeaders } from '../domain/webhook-headers.js'
import { channelOfRow } from '../subscription-channel.js'

/** Addresses of webhooks and of Slack are credentials: whoever has one may post to it. Those who may change them see them. */
export function subscriptionView(box: SecretBox, row: SubscriptionRow, role: Role): Record<string, unknown> {
  const channel = channelOfRow(box, row)
  return {
    id: row.id,
    events: row.events,
    filter: row.filter,
    channel: roleAllows(role, 'editor') ? editorView(channel) : readerView(channel),
    ...(row.digestEvery === null ? {} : { digest: { every: row.digestEvery } }),
    enabled: row.enabled,
    disabledReason: row.disabledReason,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  }
}

function editorView(channel: Channel): Channel {
  return channel.type === 'webhook' ? { ...channel, headers: maskHeaders(channel.headers) } : channel
}

function readerView(channel: Channel): Channel {
  if (channel.type === 'email') return channel
  const url = `${new URL(channel.url).origin}/${masked}`
  return channel.type === 'slack' ? { ...channel, url } : { ...channel, url, headers: maskEveryHeader(channel.headers) }
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
