import { defineRoute } from '../define-route.js'
import { answer, boolean, id, input, list, noContent, object, oneOf, page, text, time } from '../schema.js'
import type { JsonSchema, Route } from '../types.js'

const events = list(oneOf('workflow.completed', 'task.dead-lettered', 'approval.requested'), {
  minItems: 1,
  uniqueItems: true,
})
const labels: JsonSchema = { type: 'object', additionalProperties: text(256), maxProperties: 32 }
const filter = input({ workflow: text(63), status: list(text(20), { maxItems: 10 }), labels })
const headers: JsonSchema = { type: 'object', additionalProperties: text(2048), maxProperties: 20 }
const channel: JsonSchema = {
  oneOf: [
    input({ type: { const: 'webhook' }, url: text(2048), headers }, ['type', 'url']),
    input({ type: { const: 'email' }, to: list(text(254), { minItems: 1, maxItems: 20 }) }, ['type', 'to']),
    input({ type: { const: 'slack' }, url: text(2048) }, ['type', 'url']),
  ],
}
const subscription = object({ id, events, filter: { type: 'object' }, channel: { type: 'object' }, createdAt: time })
const notification = object({ id, subscriptionId: id, status: text(), attempts: list({ type: 'object' }) })

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
    body: { schema: input({ events, filter, channel }, ['events', 'channel']) },
    responses: { 201: answer('Created', subscription) },
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
    operationId: 'updateSubscription',
    service: 'notification',
    method: 'PATCH',
    path: '/api/v1/subscriptions/{id}',
    access: 'editor',
    summary: 'Change a subscription',
    tag: 'Notifications',
    body: { schema: input({ events, filter, channel, enabled: boolean }) },
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
    responses: { 200: answer('The new secret', object({ secret: text() })) },
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
    query: { subscription: text(64), status: oneOf('pending', 'delivered', 'failed') },
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
    responses: { 200: answer('The delivery', notification) },
  }),
  defineRoute({
    operationId: 'redeliverNotification',
    service: 'notification',
    method: 'POST',
    path: '/api/v1/notifications/{id}/redeliver',
    access: 'editor',
    summary: 'Deliver again',
    tag: 'Notifications',
    responses: { 202: answer('The delivery', notification) },
  }),
]
