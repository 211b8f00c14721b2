import type { AnyNewEvent } from '@millrace/events'
import type { EndedDelivery } from './db/cancel-deliveries.js'

export function deliveredEvent(delivery: EndedDelivery): AnyNewEvent {
  return { topic: 'notification.delivered', ...addressed(delivery), data: factsOf(delivery) }
}

export function failedEvent(delivery: EndedDelivery, reason: string): AnyNewEvent {
  return { topic: 'notification.failed', ...addressed(delivery), data: { ...factsOf(delivery), reason } }
}

/** As recordAudit writes it, but fit for a whole batch in one statement. */
export function failureAudit(delivery: EndedDelivery): AnyNewEvent {
  const target = `notification:${delivery.id}`
  return {
    topic: 'audit.recorded',
    key: delivery.projectId,
    subject: target,
    data: {
      projectId: delivery.projectId,
      actor: 'service:notification',
      action: 'notification.failed',
      target,
      ip: '',
      requestId: '',
      outcome: 'failed',
    },
  }
}

function addressed(delivery: EndedDelivery) {
  return {
    key: delivery.runId ?? delivery.id,
    subject: delivery.id,
    ...(delivery.traceparent === null ? {} : { traceparent: delivery.traceparent }),
  }
}

function factsOf(delivery: EndedDelivery) {
  return {
    notificationId: delivery.id,
    subscriptionId: delivery.subscriptionId,
    projectId: delivery.projectId,
    runId: delivery.runId ?? '',
  }
}
