import { freePort } from '@millrace/testkit'
import { afterAll, beforeAll, test } from 'vitest'
import { startTarget, type Target } from '../../../../tests/support/target.js'
import { Proof } from '../proof.js'

/** Queries that only a fault, or Kafka, fills. The alerts on them are fired by rules.test.yml. */
const needsMore: Readonly<Record<string, string>> = {
  millrace_events_dead_lettered_total: 'an event that breaks its contract',
  millrace_events_handler_failures_total: 'a dependency that fails',
  millrace_events_rebalances_total: 'Kafka',
  millrace_events_relay_partitions: 'Kafka',
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

let target: Target
let proof: Proof

beforeAll(async () => {
  const metricsPort = await freePort()
  target = await startTarget({ MILLRACE_METRICS_PORT: String(metricsPort) })
  proof = new Proof(target, needsMore)
  await proof.start([{ job_name: 'millrace-standalone', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }])
})
afterAll(async () => {
  await proof?.stop()
  await target?.close()
})

test('every panel and every record returns series, and every metric of a rule is one that is scraped', () =>
  proof.expectSeries(200_000))

test('Prometheus evaluates every rule without an error, and nothing pages on a healthy deployment', () =>
  proof.expectHealthyRules())
