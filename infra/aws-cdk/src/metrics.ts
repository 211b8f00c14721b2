import { stringify } from 'yaml'

/** What alarms and autoscaling read. Every scheduler shows the same numbers, so CloudWatch takes the maximum. */
export const sentMetrics = [
  'millrace_scheduler_queue_age_seconds',
  'millrace_scheduler_open_dead_letters',
  'millrace_events_outbox_age_seconds',
] as const

/** For the OpenTelemetry collector beside a scheduler: its /metrics, as CloudWatch's embedded metric format. */
export function collectorConfig(namespace: string, logGroup: string): string {
  const names = `^(${sentMetrics.join('|')})$`
  return stringify({
    receivers: {
      prometheus: {
        config: {
          scrape_configs: [
            {
              job_name: 'millrace-scheduler',
              scrape_interval: '15s',
              static_configs: [{ targets: ['127.0.0.1:8086'] }],
              metric_relabel_configs: [{ source_labels: ['__name__'], regex: names, action: 'keep' }],
            },
          ],
        },
      },
    },
    processors: { batch: {} },
    exporters: {
      awsemf: {
        namespace,
        log_group_name: logGroup,
        log_stream_name: 'metrics/{TaskId}',
        resource_to_telemetry_conversion: { enabled: false },
        dimension_rollup_option: 'NoDimensionRollup',
        // Without a dimension: one number for all queues, of which the maximum is asked for; and one for each queue.
        metric_declarations: [{ dimensions: [[], ['queue']], metric_name_selectors: [names] }],
      },
    },
    service: { pipelines: { metrics: { receivers: ['prometheus'], processors: ['batch'], exporters: ['awsemf'] } } },
  })
}
