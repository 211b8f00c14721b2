import { counter, gauge, histogram } from '@millrace/telemetry'

export const newRunMetrics = {
  batchSize: histogram({
    name: 'millrace_workflow_create_batch_runs',
    help: 'Runs that were created by one commit',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
  }),
}

export const bulkMetrics = {
  runs: counter({
    name: 'millrace_workflow_bulk_runs_total',
    help: 'Runs that bulk jobs dealt with, whatever became of them',
    labelNames: ['action'],
  }),
}

export const streamMetrics = {
  open: gauge({ name: 'millrace_workflow_run_streams', help: 'Open streams of run events' }),
}
