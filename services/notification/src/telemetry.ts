import { counter, histogram } from '@millrace/telemetry'

export const deliveryMetrics = {
  attempts: counter({
    name: 'millrace_notification_attempts_total',
    help: 'Tries to deliver a notification',
    labelNames: ['channel', 'result'],
  }),
  latency: histogram({
    name: 'millrace_notification_attempt_seconds',
    help: 'How long a try took',
    labelNames: ['channel'],
  }),
  ended: counter({
    name: 'millrace_notification_deliveries_total',
    help: 'Deliveries that ended',
    labelNames: ['status'],
  }),
  lostClaims: counter({
    name: 'millrace_notification_lost_claims_total',
    help: 'Tries whose claim had run out before they could be recorded',
  }),
  disabled: counter({
    name: 'millrace_notification_disabled_total',
    help: 'Subscriptions disabled because their endpoint kept failing',
    labelNames: ['reason'],
  }),
}
