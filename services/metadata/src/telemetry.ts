import { counter, gauge, histogram } from '@millrace/telemetry'

export const eventsApplied = counter({
  name: 'millrace_metadata_events_applied_total',
  help: 'Events merged into job and run documents',
})

export const eventLag = histogram({
  name: 'millrace_metadata_event_lag_seconds',
  help: 'From the time of the newest event of a batch until the batch is stored',
  buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
})

export const logLines = counter({
  name: 'millrace_metadata_log_lines_total',
  help: 'Log lines taken in',
})

export const runsDeleted = counter({
  name: 'millrace_metadata_runs_deleted_total',
  help: 'Runs whose documents and logs were deleted; one that was deleted again counts again',
})

export const logFollowers = gauge({
  name: 'millrace_metadata_log_followers',
  help: 'Open streams that follow logs',
})

/** Up to the length of a run, in seconds. */
const longBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 86_400]

/** What the log says of runs and tasks. */
export const factMetrics = {
  runsStarted: counter({ name: 'millrace_runs_started_total', help: 'Runs that were asked for' }),
  runsEnded: counter({ name: 'millrace_runs_ended_total', help: 'Runs that ended, by status', labelNames: ['status'] }),
  runSeconds: histogram({
    name: 'millrace_run_duration_seconds',
    help: 'From the start of a run to its end',
    labelNames: ['status'],
    buckets: longBuckets,
  }),
  taskChanges: counter({
    name: 'millrace_task_changes_total',
    help: 'Changes of tasks, by the status they came to',
    labelNames: ['status'],
  }),
  taskSeconds: histogram({
    name: 'millrace_task_duration_seconds',
    help: 'How long an attempt took, as its worker measured it',
    labelNames: ['outcome'],
    buckets: longBuckets,
  }),
  taskFailures: counter({
    name: 'millrace_task_failures_total',
    help: 'Attempts that failed, by class of the error',
    labelNames: ['class'],
  }),
  taskRetries: counter({
    name: 'millrace_task_retries_total',
    help: 'Attempts that failed and are tried again, by class of the error',
    labelNames: ['class'],
  }),
  deadLetters: counter({
    name: 'millrace_dead_letters_total',
    help: 'Tasks that finally failed, by class of the error',
    labelNames: ['class'],
  }),
}
