import { counter } from '@millrace/telemetry'

export const artifactMetrics = {
  expired: counter({
    name: 'millrace_artifact_expired_total',
    help: 'Artifacts deleted by retention or because their upload was never completed',
  }),
}
