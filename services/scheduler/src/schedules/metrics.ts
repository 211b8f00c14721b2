import { counter, histogram } from '@millrace/telemetry'

export const scheduleMetrics = {
  ticks: counter({
    name: 'millrace_scheduler_ticks_total',
    help: 'Ticks of schedules by what became of them: started, failed, or put off because nobody answered',
    labelNames: ['outcome'],
  }),
  latenessSeconds: histogram({
    name: 'millrace_scheduler_tick_lateness_seconds',
    help: 'From the time of a tick to its run, for ticks that were not caught up or asked for',
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
  }),
}
