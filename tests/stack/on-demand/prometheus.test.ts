import { randomBytes } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, test } from 'vitest'
import { Proof } from '../../../infra/prometheus/tests/proof.js'
import type { Client } from '../../support/client.js'
import { StackControl } from '../../support/stack.js'
import { startTarget, type Target } from '../../support/target.js'

/** What only a log in PostgreSQL fills. */
const needsMore: Readonly<Record<string, string>> = {
  millrace_events_open_gaps: 'the log in PostgreSQL; here events are in Kafka',
}

/** By job, as the chart and the compose profile name them. */
const jobs: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(['iam', 'workflow', 'metadata', 'notification', 'artifact'].map((name) => [name, [name]])),
  scheduler: ['scheduler-1', 'scheduler-2'],
  worker: ['worker-1', 'worker-2'],
}

const stack = new StackControl()

/** The store of history is away: handlers of metadata wait for it, and a search is answered with 5xx. */
async function interrupt(client: Client): Promise<void> {
  await stack.takeDown('ferretdb')
  try {
    const { id } = await client.startRun('metrics-ok')
    await client.ended(id, 60_000)
    await waitFor(async () => (await client.call('GET', '/api/v1/jobs')).status >= 500, { timeoutMs: 60_000 })
  } finally {
    await stack.bringBack('ferretdb')
  }
}

let target: Target
let proof: Proof
beforeAll(async () => {
  target = await startTarget()
  proof = new Proof(target, { databaseUrl: () => stack.databaseUrl, interrupt }, needsMore)
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
  proof.expectSeries(280_000))

test('Prometheus evaluates every rule without an error, and nothing pages on a healthy stack', () =>
  proof.expectHealthyRules())

test('Prometheus has the trace of a request as an exemplar', () =>
  proof.expectExemplar(randomBytes(16).toString('hex')))
