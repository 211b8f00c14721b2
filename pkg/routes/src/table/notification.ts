import { defineRoute } from '../define-route.js'
import {
  answer,
  anyOf,
  boolean,
  id,
  input,
  integer,
  list,
  noContent,
  nullable,
  object,
  oneOf,
  page,
  text,
  time,
} from '../schema.js'
import type { JsonSchema, Route } from '../types.js'

const eventTypes = [
  ...(['workflow.started', 'workflow.completed', 'workflow.failed'] as const),
  ...(['task.failed', 'task.dead-lettered', 'approval.requested'] as const),
  ...(['run.late', 'schedule.missed', 'worker.lost', 'queue.backlog'] as const),
] as const
const events = list(oneOf(...eventTypes), {
  minItems: 1,
  maxItems: eventTypes.length,
  uniqueItems: true,
})
const digest = input({ every: text(32, { description: 'Such as 15m or 1d: mail is collected for that long' }) }, [
  'every',
])
const labels: JsonSchema = {
  type: 'object',
  propertyNames: { minLength: 1, maxLength: 128 },
  additionalProperties: text(256),
  maxProperties: 32,
}
const filter = input({
  workflow: text(63, { minLength: 1 }),
  status: list(oneOf('succeeded', 'failed', 'cancelled'), { minItems: 1, maxItems: 3, uniqueItems: true }),
  labels,
})
const headers: JsonSchema = { type: 'object', additionalProperties: text(2048), maxProperties: 20 }
const webhookUrl = text(2048, { minLength: 1 })
const channel: JsonSchema = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [
    input({ type: { const: 'webhook' }, url: webhookUrl, headers }, ['type', 'url']),
    input({ type: { const: 'email' }, to: list(text(254), { minItems: 1, maxItems: 20 }) }, ['type', 'to']),
    input({ type: { const: 'slack' }, url: webhookUrl }, ['type', 'url']),
  ],
}
const subscriptionFields: Record<string, JsonSchema> = {
  id,
  events,
  filter,
  channel: { ...channel, description: 'Values of headers that look like credentials are shown as asterisks' },
  digest: { ...digest, description: 'Only for mail: one message for all that happens within this time' },
  enabled: boolean,
  disabledReason: {
    ...nullable(text()),
    description: 'by_request, endpoint_gone, too_many_failures or failing_too_long',
  },
  createdBy: text(),
  createdAt: time,
  updatedAt: time,
}
const subscription = object(subscriptionFields)
const createdSubscription = object({
  ...subscriptionFields,
  secret: text(128, { description: 'Only for a webhook, only in this answer: whsec_ and base64' }),
})
const attempt = object({
  at: time,
  statusCode: nullable(integer()),
  latencyMs: integer(0),
  error: nullable(text()),
  responseSnippet: nullable(text()),
})
const latency = object({ p50: nullable(integer(0)), p95: nullable(integer(0)), p99: nullable(integer(0)) })
const statistics = object({
  ...{
    notifications: integer(0),
    pending: integer(0),
    delivered: integer(0),
    failed: integer(0),
    attempts: integer(0),
  },
  ...{ lastDeliveredAt: nullable(time), lastFailedAt: nullable(time) },
  latencyMs: { ...latency, description: 'Of single attempts' },
})
const notificationFields: Record<string, JsonSchema> = {
  id,
  subscriptionId: id,
  type: text(64),
  runId: nullable(id),
  status: oneOf('pending', 'delivered', 'failed'),
  reason: nullable(text()),
  attemptCount: integer(0),
  nextAttemptAt: nullable(time),
  createdAt: time,
  finishedAt: nullable(time),
}
const notification = object(notificationFields)
const notificationDetail = object({
  ...notificationFields,
  payload: { type: 'object', description: 'What is sent: type, timestamp, data' },
  attempts: list(attempt, { description: 'Oldest first' }),
})

export const notificationRoutes: readonly Route[] = [
  defineRoute({
    operationId: 'createSubscription',
    service: 'notification',
    method: 'POST',
    path: '/api/v1/subscriptions',
    access: 'editor',
    summary: 'Subscribe to events; a webhook secret is shown once',
    tag: 'Notifications',
    idempotent: true,
    body: { schema: input({ events, filter, channel, digest }, ['events', 'channel']) },
    responses: { 201: answer('Created', createdSubscription) },
  }),
  defineRoute({
    operationId: 'listSubscriptions',
    service: 'notification',
    method: 'GET',
    path: '/api/v1/subscriptions',
    access: 'viewer',
    summary: 'Subscriptions of the project',
    tag: 'Notifications',
    list: true,
    responses: { 200: answer('Subscriptions', page(subscription)) },
  }),
  defineRoute({
    operationId: 'getSubscription',
    service: 'notification',
    method: 'GET',
    path: '/api/v1/subscriptions/{id}',
    access: 'viewer',
    summary: 'A subscription',
    tag: 'Notifications',
    responses: { 200: answer('The subscription', subscription) },
  }),
  defineRoute({
    operationId: 'getSubscriptionStatistics',
    service: 'notification',
    method: 'GET',
    path: '/api/v1/subscriptions/{id}/statistics',
    access: 'viewer',
    summary: 'How the latest 1,000 notifications of a subscription fared',
    tag: 'Notifications',
    responses: { 200: answer('The statistics', statistics) },
  }),
  defineRoute({
    operationId: 'updateSubscription',
    service: 'notification',
    method: 'PATCH',
    path: '/api/v1/subscriptions/{id}',
    access: 'editor',
    summary: 'Change a subscription',
    tag: 'Notifications',
    body: {
      schema: {
        ...input({ events, filter: nullable(filter), channel, digest: nullable(digest), enabled: boolean }),
        minProperties: 1,
      },
    },
    responses: { 200: answer('The subscription', subscription) },
  }),
  defineRoute({
    operationId: 'deleteSubscription',
    service: 'notification',
    method: 'DELETE',
    path: '/api/v1/subscriptions/{id}',
    access: 'editor',
    summary: 'Delete a subscription',
    tag: 'Notifications',
    responses: { 204: noContent },
  }),
  defineRoute({
    operationId: 'testSubscription',
    service: 'notification',
    method: 'POST',
    path: '/api/v1/subscriptions/{id}/test',
    access: 'editor',
    summary: 'Send a test notification',
    tag: 'Notifications',
    responses: { 202: answer('Sent', notification) },
  }),
  defineRoute({
    operationId: 'rotateSubscriptionSecret',
    service: 'notification',
    method: 'POST',
    path: '/api/v1/subscriptions/{id}/rotate-secret',
    access: 'editor',
    summary: 'Make a new webhook secret, shown once',
    tag: 'Notifications',
    body: { required: false, schema: input({ graceSeconds: integer(0, 604_800) }) },
    responses: { 200: answer('The new secret', object({ id, secret: text() })) },
  }),
  defineRoute({
    operationId: 'listNotifications',
    service: 'notification',
    method: 'GET',
    path: '/api/v1/notifications',
    access: 'viewer',
    summary: 'Deliveries',
    tag: 'Notifications',
    list: true,
    query: { subscription: text(64), run: text(64), status: anyOf(oneOf('pending', 'delivered', 'failed')) },
    responses: { 200: answer('Deliveries', page(notification)) },
  }),
  defineRoute({
    operationId: 'getNotification',
    service: 'notification',
    method: 'GET',
    path: '/api/v1/notifications/{id}',
    access: 'viewer',
    summary: 'A delivery and its attempts',
    tag: 'Notifications',
    responses: { 200: answer('The delivery', notificationDetail) },
  }),
  defineRoute({
    operationId: 'redeliverNotification',
    service: 'notification',
    method: 'POST',
    path: '/api/v1/notifications/{id}/redeliver',
    access: 'operator',
    summary: 'Deliver again',
    tag: 'Notifications',
    responses: { 202: answer('The delivery', notification) },
  }),
]
