import { freePort, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, test } from 'vitest'
import type { Client } from '../../../../tests/support/client.js'
import { databaseAnswers, readyPostmaster } from '../../../../tests/support/postmaster.js'
import type { Standalone } from '../../../../tests/support/standalone.js'
import { startTarget, type Target } from '../../../../tests/support/target.js'
import { Proof } from '../proof.js'

/** What only Kafka fills. */
const needsMore: Readonly<Record<string, string>> = {
  millrace_events_rebalances_total: 'Kafka',
}

let target: Target
let proof: Proof

/** PostgreSQL is killed whenever it is back, until a request was answered with 5xx. */
async function interrupt(standalone: Standalone, client: Client): Promise<void> {
  for (let n = 0; n < 10; n++) await client.startRun('metrics-ok')
  const body = { email: 'nobody@example.test', password: 'a-password-for-tests-only' }
  await waitFor(
    async () => {
      const postmaster = readyPostmaster(standalone.dataDir)
      if (postmaster !== undefined) process.kill(postmaster, 'SIGKILL')
      return (await client.as(undefined).call('POST', '/api/v1/auth/login', { body })).status >= 500
    },
    { timeoutMs: 60_000, what: 'an answer of 5xx' },
  )
  await waitFor(() => databaseAnswers(standalone.databaseUrl()), { timeoutMs: 60_000, what: 'PostgreSQL back' })
  await waitFor(async () => (await client.call('GET', '/api/v1/workflows')).status === 200, { timeoutMs: 60_000 })
}

beforeAll(async () => {
  const metricsPort = await freePort()
  target = await startTarget({ MILLRACE_METRICS_PORT: String(metricsPort) })
  const { standalone } = target
  if (standalone === undefined) throw new Error('this file starts a standalone of its own: unset MILLRACE_TARGET_URL')
  const deployment = {
    databaseUrl: () => standalone.databaseUrl(),
    interrupt: (client: Client) => interrupt(standalone, client),
  }
  proof = new Proof(target, deployment, needsMore)
  await proof.start([{ job_name: 'millrace-standalone', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }])
})
afterAll(async () => {
  await proof?.stop()
  await target?.close()
})

test('every panel and every record returns series, and every metric of a rule is one that is scraped', () =>
  proof.expectSeries(280_000))

test('Prometheus evaluates every rule without an error, and nothing pages on a healthy deployment', () =>
  proof.expectHealthyRules())
