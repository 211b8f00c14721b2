import { counter } from '@millrace/telemetry'

export const artifactMetrics = {
  deletedWithRuns: counter({
    name: 'millrace_artifact_deleted_with_runs_total',
    help: 'Artifacts deleted with their run or their project',
  }),
  expired: counter({
    name: 'millrace_artifact_expired_total',
    help: 'Artifacts deleted by retention or because their upload was never completed',
  }),
}
