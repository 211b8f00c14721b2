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
}
