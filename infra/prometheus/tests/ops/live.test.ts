import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../../../../tests/support/client.js'
import { startTarget, type Target } from '../../../../tests/support/target.js'
import { alerts, metricsIn, panelQueries, type Query, records, ruleQueries, rulesFolder } from '../queries.js'

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

const folder = mkdtempSync(join(tmpdir(), 'millrace-prometheus-'))
let target: Target
let prometheus: ReturnType<typeof spawn>
let url: string

beforeAll(async () => {
  if (spawnSync('prometheus', ['--version']).error) throw new Error('Prometheus is missing: apt-get install prometheus')
  const [port, metricsPort] = await Promise.all([freePort(), freePort()])
  target = await startTarget({ MILLRACE_METRICS_PORT: String(metricsPort) })
  url = `http://127.0.0.1:${port}`
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: [join(rulesFolder, '*.yml')],
    scrape_configs: [{ job_name: 'millrace-standalone', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] }],
  }
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config))
  const args = [`--config.file=${folder}/prometheus.yml`, `--storage.tsdb.path=${folder}/data`]
  prometheus = spawn('prometheus', [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
  await waitFor(() => fetch(`${url}/-/ready`).then((r) => r.ok), { timeoutMs: 60_000, what: 'Prometheus' })
})
afterAll(async () => {
  if (prometheus) {
    const gone = once(prometheus, 'exit')
    prometheus.kill('SIGTERM')
    await gone
  }
  await target?.close()
  rmSync(folder, { recursive: true, force: true })
})

async function get<T>(path: string, params: Record<string, string> = {}): Promise<T> {
  const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(params)}`)
  const { data, error } = (await answer.json()) as { data: T; error?: string }
  if (error) throw new Error(`${JSON.stringify(params)}: ${error}`)
  return data
}

/** A little of everything that a healthy deployment does. */
async function load(round: number): Promise<void> {
  const client = new Client(target.url, token)
  const runs = [client.startRun('metrics-ok'), client.startRun('metrics-bad'), client.startRun('metrics-retry')]
  for (const { id } of await Promise.all(runs)) await client.ended(id)
  if (round === 0) await client.want(202, 'POST', `/api/v1/subscriptions/${subscription}/test`)
}

let token: string
let subscription: string

async function prepare(): Promise<void> {
  const { accessToken } = await new Client(target.url).want<{ accessToken: string }>(
    200,
    'POST',
    '/api/v1/auth/login',
    {
      body: target.admin,
    },
  )
  token = accessToken
  const client = new Client(target.url, token)
  const limited = { uses: 'noop', concurrency: { limit: 1, key: 'one' } }
  const items = { uses: 'map', with: { items: [1, 2, 3], task: { uses: 'noop' } } }
  await client.createWorkflow({
    name: 'metrics-ok',
    tasks: { a: limited, b: items, c: { uses: 'sleep', with: { duration: '50ms' } } },
  })
  await client.createWorkflow({ name: 'metrics-bad', tasks: { a: { uses: 'fail', retry: { maxAttempts: 1 } } } })
  const retry = { maxAttempts: 2, delay: '10ms', jitter: 'none' }
  await client.createWorkflow({ name: 'metrics-retry', tasks: { a: { uses: 'fail', with: { times: 1 }, retry } } })
  await client.want(201, 'POST', '/api/v1/schedules', { body: { workflow: 'metrics-ok', cron: '* * * * * *' } })
  const channel = { type: 'webhook', url: `${target.sink.url}/hook` }
  const made = await client.want<{ id: string }>(201, 'POST', '/api/v1/subscriptions', {
    body: { events: ['workflow.completed'], channel },
  })
  subscription = made.id
}

const forGrafana = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '1m').replaceAll('$service', 'workflow')

async function empty(queries: readonly Query[]): Promise<string[]> {
  const missing: string[] = []
  for (const { place, expression } of queries) {
    const { result } = await get<{ result: unknown[] }>('query', { query: forGrafana(expression) })
    if (result.length === 0) missing.push(`${place}: ${expression}`)
  }
  return missing
}

const isExcused = (text: string): boolean => Object.keys(needsMore).some((part) => text.includes(part))

test('every panel and every record returns series, and every metric of a rule is one that is scraped', async () => {
  await prepare()
  const recordQueries = records.map(({ record = '' }) => ({ place: record, expression: record }))
  let round = 0
  let missing: string[] = []
  await waitFor(
    async () => {
      await load(round++)
      missing = (await empty([...panelQueries, ...recordQueries])).filter((text) => !isExcused(text))
      return missing.length === 0
    },
    { timeoutMs: 200_000, what: 'series for every query' },
  ).catch((error) => {
    throw new Error(`without series:\n${missing.join('\n')}`, { cause: error })
  })
  const { activeTargets } = await get<{ activeTargets: { health: string }[] }>('targets')
  expect(activeTargets.map(({ health }) => health)).toEqual(activeTargets.map(() => 'up'))
  const scraped = new Set(Object.keys(await get<Record<string, unknown>>('metadata')))
  const unknown = [...panelQueries, ...ruleQueries].flatMap(({ place, expression }) =>
    metricsIn(expression)
      .filter((name) => !scraped.has(name))
      .map((name) => `${place}: ${name}`),
  )
  expect(unknown).toEqual([])
})

test('Prometheus evaluates every rule without an error, and nothing pages on a healthy deployment', async () => {
  const { groups } = await get<{
    groups: { rules: { name: string; health: string; state?: string; labels?: Record<string, string> }[] }[]
  }>('rules')
  const rules = groups.flatMap((group) => group.rules)
  expect(rules.length).toBe(records.length + alerts.length)
  expect(rules.filter(({ health }) => health !== 'ok').map(({ name }) => name)).toEqual([])
  const firing = rules.filter(({ state, labels }) => state === 'firing' && labels?.severity === 'page')
  expect(firing.map(({ name }) => name)).toEqual([])
})
