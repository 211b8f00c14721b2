import { freePort } from '@millrace/testkit'
import { afterAll, beforeAll, test } from 'vitest'
import { startTarget, type Target } from '../../../../tests/support/target.js'
import { Proof } from '../proof.js'

/** What only Kafka fills. */
const needsMore: Readonly<Record<string, string>> = {
  millrace_events_rebalances_total: 'Kafka',
  millrace_events_relay_partitions: 'Kafka',
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
