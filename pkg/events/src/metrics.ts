import { counter, gauge } from '@millrace/telemetry'

export const eventMetrics = {
  lag: gauge({
    name: 'millrace_events_lag',
    help: 'Events in the log above what the group has handled',
    labelNames: ['group'],
  }),
  openGaps: gauge({
    name: 'millrace_events_open_gaps',
    help: 'Missing ids that the group still waits for',
    labelNames: ['group'],
  }),
  handled: counter({ name: 'millrace_events_handled_total', help: 'Events handled', labelNames: ['group'] }),
  handlerFailures: counter({
    name: 'millrace_events_handler_failures_total',
    help: 'Handler failures: of a dependency (paused, not counted as a try) or of the handler or event itself',
    labelNames: ['group', 'kind'],
  }),
  deadLettered: counter({
    name: 'millrace_events_dead_lettered_total',
    help: 'Events put aside because they broke their contract or their handler',
    labelNames: ['group', 'topic'],
  }),
  rebalances: counter({
    name: 'millrace_events_rebalances_total',
    help: 'How often the group was divided anew after this process had joined it',
    labelNames: ['group'],
  }),
  relayed: counter({ name: 'millrace_events_relayed_total', help: 'Events that went from the outbox to the broker' }),
  relayFailures: counter({
    name: 'millrace_events_relay_failures_total',
    help: 'Batches of the outbox that the broker did not take; each is sent again before anything later',
  }),
  outboxAge: gauge({
    name: 'millrace_events_outbox_age_seconds',
    help: 'Age of the oldest event that this relay has yet to send; 0 when there is none',
  }),
  relayParts: gauge({
    name: 'millrace_events_relay_partitions',
    help: 'Partitions of the outbox that this process relays',
  }),
}
