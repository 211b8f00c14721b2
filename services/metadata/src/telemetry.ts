import { counter, gauge, histogram } from '@millrace/telemetry'

export const eventsApplied = counter({
  name: 'millrace_metadata_events_applied_total',
  help: 'Events merged into job and run documents',
})

export const eventLag = histogram({
  name: 'millrace_metadata_event_lag_seconds',
  help: 'From the time of the newest event of a batch until the batch is stored',
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
})

export const logLines = counter({
  name: 'millrace_metadata_log_lines_total',
  help: 'Log lines taken in',
})

export const logFollowers = gauge({
  name: 'millrace_metadata_log_followers',
  help: 'Open streams that follow logs',
})
