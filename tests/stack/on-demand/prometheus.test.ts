import { afterAll, beforeAll, test } from 'vitest'
import { Proof } from '../../../infra/prometheus/tests/proof.js'
import { StackControl } from '../../support/stack.js'
import { startTarget, type Target } from '../../support/target.js'

/** Queries that only a fault, or a log in PostgreSQL, fills. The alerts on them are fired by rules.test.yml. */
const needsMore: Readonly<Record<string, string>> = {
  millrace_events_dead_lettered_total: 'an event that breaks its contract',
  millrace_events_handler_failures_total: 'a dependency that fails',
  millrace_events_open_gaps: 'the log in PostgreSQL; here events are in Kafka',
  millrace_notification_disabled_total: 'an endpoint that fails for days',
  millrace_scheduler_large_outputs_total: 'an output over 64 KiB',
  millrace_scheduler_worker_commands_total: 'a run that is cancelled while it runs',
  millrace_worker_circuits_open: 'a peer that fails',
  millrace_worker_circuit_events_total: 'a peer that fails',
  millrace_scheduler_child_calls_total: 'a sub-workflow',
  'status=~"5.."': 'an answer of 5xx',
  'millrace:circuits_open:sum': 'a peer that fails',
  'millrace:events_set_aside:increase15m': 'an event that breaks its contract',
}

/** By job, as the chart and the compose profile name them. */
const jobs: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['iam', 'workflow', 'metadata', 'notification', 'artifact'].map((name) => [name, [name]])),
  scheduler: ['scheduler-1', 'scheduler-2'],
  worker: ['worker-1', 'worker-2'],
}

const stack = new StackControl()
let target: Target
let proof: Proof
beforeAll(async () => {
  target = await startTarget()
  proof = new Proof(target, needsMore)
  await proof.start(
    Object.entries(jobs).map(([job, names]) => ({
      job_name: `millrace-${job}`,
      static_configs: [{ targets: names.map((name) => stack.entry(name).address) }],
    })),
  )
})
afterAll(async () => {
  await proof?.stop()
  await target?.close()
})

test('every panel and every record returns series on the stack, and every metric of a rule is one that is scraped', () =>
  proof.expectSeries(200_000))

test('Prometheus evaluates every rule without an error, and nothing pages on a healthy stack', () =>
  proof.expectHealthyRules())
