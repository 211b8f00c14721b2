import { counter, gauge, histogram } from '@millrace/telemetry'

export const retentionMetrics = {
  deleted: counter({
    name: 'millrace_scheduler_retention_deleted_total',
    help: 'Runs and tasks that were deleted because of their age or number, or with their project',
    labelNames: ['what'],
  }),
  sliceSeconds: histogram({
    name: 'millrace_scheduler_retention_slice_seconds',
    help: 'How long one transaction of retention took',
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5],
  }),
  lagSeconds: gauge({
    name: 'millrace_scheduler_retention_lag_seconds',
    help: 'How long ago the oldest run that was found past its time should have been deleted; 0 when none was',
  }),
}
