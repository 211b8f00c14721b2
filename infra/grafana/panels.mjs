// What each dashboard shows. `node infra/grafana/generate.mjs` writes dashboards/*.json from it. Counts that every
// replica of the scheduler reads from the database are taken by `max`, counts of a process by `sum`.
const rate = (metric, by = '', where = '') =>
  `sum${by && ` by (${by})`} (rate(${metric}${where && `{${where}}`}[$__rate_interval]))`
const quantile = (q, metric, by = '', where = '') =>
  `histogram_quantile(${q}, sum by (${['le', by].filter(Boolean).join(', ')}) (rate(${metric}_bucket${where && `{${where}}`}[$__rate_interval])))`

/** title, unit, queries: [expression, legend] */
const panel = (title, unit, ...queries) => ({ title, unit, queries })
const quantiles = (title, metric, where = '') =>
  panel(title, 's', ...[0.5, 0.95, 0.99].map((q) => [quantile(q, metric, '', where), `p${q * 100}`]))

const http = 'http_server_request_duration_seconds'
const grpc = 'millrace_grpc_server_seconds'
const inService = 'service="$service"'

export const dashboards = {
  overview: {
    title: 'Millrace / Overview',
    panels: [
      panel('Requests by service', 'reqps', [rate(`${http}_count`, 'service'), '{{service}}']),
      panel('Share of requests that failed (5xx)', 'percentunit', ['millrace:api_errors:ratio5m', 'errors']),
      panel('Latency of requests, p99 by service', 's', [
        quantile(0.99, http, 'service', 'operation!~"$streams"'),
        '{{service}}',
      ]),
      panel(
        'Runs started and ended',
        'ops',
        [rate('millrace_runs_started_total'), 'started'],
        [rate('millrace_runs_ended_total', 'status'), '{{status}}'],
      ),
      panel('Runs that have not ended', 'short', ['max by (status) (millrace_scheduler_runs)', '{{status}}']),
      panel('Tasks ready, by queue', 'short', [
        'max by (queue) (millrace_scheduler_queue_tasks{state="ready"})',
        '{{queue}}',
      ]),
      panel('Age of the oldest ready task', 's', ['millrace:queue_age_seconds:max', '{{queue}}']),
      panel('Open dead letters', 'short', ['max(millrace_scheduler_open_dead_letters)', 'open']),
      panel('Workers by state', 'short', ['max by (state) (millrace_scheduler_workers)', '{{state}}']),
      panel('Lag of event consumers', 'short', ['max by (group) (millrace_events_lag)', '{{group}}']),
      panel('Delay of the event loop, p99', 's', [
        'max by (job, instance, process) (nodejs_eventloop_lag_p99_seconds)',
        '{{job}} {{process}} {{instance}}',
      ]),
      panel('Memory', 'bytes', [
        'sum by (job, instance, process) (process_resident_memory_bytes)',
        '{{job}} {{process}} {{instance}}',
      ]),
    ],
  },
  workflows: {
    title: 'Millrace / Workflows',
    panels: [
      panel('Runs started', 'ops', [rate('millrace_runs_started_total'), 'started']),
      panel('Runs ended by status', 'ops', [rate('millrace_runs_ended_total', 'status'), '{{status}}']),
      panel('Share of runs that failed', 'percentunit', ['millrace:runs_failed:ratio15m', 'failed']),
      quantiles('Duration of runs', 'millrace_run_duration_seconds'),
      panel('Changes of tasks by status', 'ops', [rate('millrace_task_changes_total', 'status'), '{{status}}']),
      quantiles('Duration of attempts', 'millrace_task_duration_seconds'),
      panel('Failed attempts by class', 'ops', [rate('millrace_task_failures_total', 'class'), '{{class}}']),
      panel('Retries by class', 'ops', [rate('millrace_task_retries_total', 'class'), '{{class}}']),
      panel('Runs created by one commit, p95', 'short', [
        quantile(0.95, 'millrace_workflow_create_batch_runs'),
        'runs',
      ]),
      panel(
        'Open streams of runs and logs',
        'short',
        ['sum(millrace_workflow_run_streams)', 'runs'],
        ['sum(millrace_metadata_log_followers)', 'logs'],
      ),
      panel('Ticks of schedules', 'ops', [rate('millrace_scheduler_ticks_total', 'outcome'), '{{outcome}}']),
      quantiles('Lateness of ticks', 'millrace_scheduler_tick_lateness_seconds'),
    ],
  },
  'queues-and-workers': {
    title: 'Millrace / Queues and workers',
    panels: [
      panel('Tasks in queues', 'short', [
        'max by (queue, state) (millrace_scheduler_queue_tasks)',
        '{{queue}} {{state}}',
      ]),
      panel('Age of the oldest ready task', 's', ['millrace:queue_age_seconds:max', '{{queue}}']),
      panel('Leases granted', 'ops', [rate('millrace_scheduler_leases_total'), 'leases']),
      panel('Leases that went back to the queue', 'ops', [rate('millrace_scheduler_requeued_total', 'why'), '{{why}}']),
      panel('Workers by state', 'short', ['max by (state) (millrace_scheduler_workers)', '{{state}}']),
      panel('Paused queues', 'short', ['max(millrace_scheduler_paused_queues)', 'paused']),
      panel('Executions under way', 'short', ['sum(millrace_worker_running_tasks)', 'built-in workers']),
      panel('Executions ended', 'ops', [
        rate('millrace_worker_executed_total', 'uses, outcome'),
        '{{uses}} {{outcome}}',
      ]),
      panel('Results by transport', 'ops', [rate('millrace_worker_results_total', 'via'), '{{via}}']),
      quantiles('Reports of results', 'millrace_worker_report_seconds'),
      panel(
        'Results that came too late',
        'ops',
        [rate('millrace_scheduler_stale_reports_total'), 'scheduler'],
        [rate('millrace_worker_stale_results_total'), 'worker'],
      ),
      panel('Time until a lost worker’s tasks were back, p99', 's', [
        quantile(0.99, 'millrace_scheduler_lost_worker_seconds'),
        'p99',
      ]),
      panel('Open circuits', 'short', ['sum by (uses) (millrace_worker_circuits_open)', '{{uses}}']),
      panel('Circuits', 'ops', [rate('millrace_worker_circuit_events_total', 'uses, event'), '{{uses}} {{event}}']),
      panel('Limits', 'ops', [rate('millrace_scheduler_limited_total', 'outcome, scope'), '{{scope}} {{outcome}}']),
      panel('Waiting for a limit', 'short', ['max by (what) (millrace_scheduler_limit_waiting)', '{{what}}']),
      panel('Log lines given up', 'ops', [rate('millrace_worker_log_drops_total'), 'lines']),
      panel('Executions that did not stop', 'ops', [rate('millrace_worker_abandoned_executions_total'), 'executions']),
    ],
  },
  'dead-letters': {
    title: 'Millrace / Dead letters',
    panels: [
      panel('Open', 'short', ['max(millrace_scheduler_open_dead_letters)', 'open']),
      panel('New, by class', 'ops', [rate('millrace_dead_letters_total', 'class'), '{{class}}']),
      panel('Failed attempts by class', 'ops', [rate('millrace_task_failures_total', 'class'), '{{class}}']),
      panel('Retries by class', 'ops', [rate('millrace_task_retries_total', 'class'), '{{class}}']),
      panel('Events set aside', 'short', [
        'sum by (group, topic) (increase(millrace_events_dead_lettered_total[1h]))',
        '{{group}} {{topic}}',
      ]),
    ],
  },
  bus: {
    title: 'Millrace / Events',
    panels: [
      panel('Events behind the log’s end', 'short', ['max by (group) (millrace_events_lag)', '{{group}}']),
      panel('Events handled', 'ops', [rate('millrace_events_handled_total', 'group'), '{{group}}']),
      panel('Handler failures', 'ops', [
        rate('millrace_events_handler_failures_total', 'group, kind'),
        '{{group}} {{kind}}',
      ]),
      panel('Open gaps (Postgres log)', 'short', ['max by (group) (millrace_events_open_gaps)', '{{group}}']),
      quantiles('From an event to its record', 'millrace_metadata_event_lag_seconds'),
      panel('Age of the oldest event in the outbox (Kafka)', 's', ['millrace:outbox_age_seconds:max', 'age']),
      panel('Relayed to Kafka', 'ops', [rate('millrace_events_relayed_total'), 'events']),
      panel('Batches that Kafka did not take', 'ops', [rate('millrace_events_relay_failures_total'), 'batches']),
      panel('Partitions of the outbox, by relay', 'short', [
        'sum by (job, instance, process) (millrace_events_relay_partitions)',
        '{{job}} {{process}} {{instance}}',
      ]),
      panel('Rebalances', 'short', ['sum by (group) (increase(millrace_events_rebalances_total[15m]))', '{{group}}']),
    ],
  },
  scheduler: {
    title: 'Millrace / Scheduler',
    panels: [
      panel(
        'Runs written by one statement, p50 and p99',
        'short',
        [quantile(0.5, 'millrace_scheduler_batch_runs'), 'p50'],
        [quantile(0.99, 'millrace_scheduler_batch_runs'), 'p99'],
      ),
      panel('Write conflicts', 'ops', [rate('millrace_scheduler_write_conflicts_total'), 'runs']),
      panel('Found by the reconciler', 'short', [
        'sum by (what) (increase(millrace_scheduler_reconciled_total[15m]))',
        '{{what}}',
      ]),
      panel('Child runs', 'ops', [rate('millrace_scheduler_child_run_requests_total', 'outcome'), '{{outcome}}']),
      panel(
        'Map items made and changed',
        'ops',
        [rate('millrace_scheduler_map_items_made_total'), 'made'],
        [rate('millrace_scheduler_map_items_changed_total'), 'changed'],
      ),
      panel('Large outputs', 'ops', [rate('millrace_scheduler_large_outputs_total', 'outcome'), '{{outcome}}']),
      panel('Commands to workers', 'ops', [
        rate('millrace_scheduler_worker_commands_total', 'command, way'),
        '{{command}} {{way}}',
      ]),
      panel('Revoked sessions', 'ops', [rate('millrace_scheduler_revoked_sessions_total'), 'sessions']),
      panel('Unparked', 'ops', [rate('millrace_scheduler_unparked_total'), 'tasks']),
      panel('gRPC calls', 'ops', [rate(`${grpc}_count`, 'method', 'service="scheduler"'), '{{method}}']),
    ],
  },
  notifications: {
    title: 'Millrace / Notifications and artifacts',
    panels: [
      panel('Deliveries ended', 'ops', [rate('millrace_notification_deliveries_total', 'status'), '{{status}}']),
      panel('Tries', 'ops', [
        rate('millrace_notification_attempts_total', 'channel, result'),
        '{{channel}} {{result}}',
      ]),
      panel('Duration of tries, p99', 's', [
        quantile(0.99, 'millrace_notification_attempt_seconds', 'channel'),
        '{{channel}}',
      ]),
      panel('Claims that ran out', 'ops', [rate('millrace_notification_lost_claims_total'), 'claims']),
      panel('Subscriptions disabled', 'short', [
        'sum by (reason) (increase(millrace_notification_disabled_total[1h]))',
        '{{reason}}',
      ]),
      panel('Artifacts expired', 'ops', [rate('millrace_artifact_expired_total'), 'artifacts']),
    ],
  },
  service: {
    title: 'Millrace / Service',
    variables: { service: 'label_values(http_server_request_duration_seconds_count, service)' },
    panels: [
      panel('Requests by operation and method', 'reqps', [
        rate(`${http}_count`, 'operation, method', inService),
        '{{method}} {{operation}}',
      ]),
      panel('Errors by operation (5xx)', 'reqps', [
        rate(`${http}_count`, 'operation, status', `${inService}, status=~"5.."`),
        '{{operation}} {{status}}',
      ]),
      panel('Duration by operation, p99', 's', [quantile(0.99, http, 'operation', inService), '{{operation}}']),
      panel('Answers by status', 'reqps', [rate(`${http}_count`, 'status', inService), '{{status}}']),
      panel('gRPC calls by method and code', 'ops', [
        rate(`${grpc}_count`, 'method, code', inService),
        '{{method}} {{code}}',
      ]),
      panel('Duration of gRPC calls, p99', 's', [quantile(0.99, grpc, 'method', inService), '{{method}}']),
      panel('Requests that the gateway asked iam about', 'reqps', [
        rate('millrace_iam_checks_total', 'outcome'),
        '{{outcome}}',
      ]),
      panel('CPU', 'percentunit', [
        'sum by (job, instance, process) (rate(process_cpu_seconds_total[$__rate_interval]))',
        '{{job}} {{process}} {{instance}}',
      ]),
      panel('Heap in use', 'bytes', [
        'sum by (job, instance, process) (nodejs_heap_size_used_bytes)',
        '{{job}} {{process}} {{instance}}',
      ]),
      panel('Garbage collection', 'percentunit', [
        `${rate('nodejs_gc_duration_seconds_sum', 'job, kind')}`,
        '{{job}} {{kind}}',
      ]),
      panel('Open files', 'short', [
        'sum by (job, instance, process) (process_open_fds)',
        '{{job}} {{process}} {{instance}}',
      ]),
      panel('Ended because they hung', 'short', ['sum by (job) (increase(process_hangs_total[1h]))', '{{job}}']),
    ],
  },
}

/** Answers that stay open: their duration says nothing. */
export const streams = 'watch.+|.+Logs|.+Content'
