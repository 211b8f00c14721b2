import { counter, gauge } from '@millrace/telemetry'

export const alertMetrics = {
  lateRuns: counter({
    name: 'millrace_scheduler_late_runs_total',
    help: 'Runs that were not started, or still running, when their expected duration had passed',
    labelNames: ['reason'],
  }),
  backlogs: gauge({
    name: 'millrace_scheduler_queue_backlogs',
    help: 'Queues of projects with a backlog, as it is told to subscribers',
  }),
  missedTicks: counter({
    name: 'millrace_scheduler_missed_ticks_total',
    help: 'Times that ticks of a schedule had no run: passed over after downtime, or refused',
    labelNames: ['reason'],
  }),
}
