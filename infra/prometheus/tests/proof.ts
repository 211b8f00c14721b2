import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, waitFor } from '@millrace/testkit'
import { expect } from 'vitest'
import { type Client, newUser } from '../../../tests/support/client.js'
import type { Target } from '../../../tests/support/target.js'
import { alerts, metricsIn, panelQueries, type Query, records, ruleQueries, rulesFolder } from './queries.js'

export interface ScrapeConfig {
  job_name: string
  static_configs: { targets: string[] }[]
}

/** Queries that only a fault, or a rare kind of work, fills on any deployment. The alerts on them are fired by rules.test.yml. */
const needsFault: Readonly<Record<string, string>> = {
  millrace_events_dead_lettered_total: 'an event that breaks its contract',
  millrace_events_handler_failures_total: 'a dependency that fails',
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

/** A real Prometheus beside a deployment: whatever the dashboards and the rules ask for is there under a small load. */
export class Proof {
  private readonly folder = mkdtempSync(join(tmpdir(), 'millrace-prometheus-'))
  private readonly needsMore: Readonly<Record<string, string>>
  private prometheus: ReturnType<typeof spawn> | undefined
  private url = ''
  private client: Client | undefined
  private schedule = ''
  private subscription = ''

  constructor(
    private readonly target: Target,
    /** Further queries that this deployment leaves without series, and what would fill them. */
    needsMore: Readonly<Record<string, string>>,
  ) {
    this.needsMore = { ...needsFault, ...needsMore }
  }

  async start(scrapeConfigs: ScrapeConfig[]): Promise<void> {
    if (spawnSync('prometheus', ['--version']).error)
      throw new Error('Prometheus is missing: apt-get install prometheus')
    const port = await freePort()
    this.url = `http://127.0.0.1:${port}`
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: [join(rulesFolder, '*.yml')],
      scrape_configs: scrapeConfigs,
    }
    writeFileSync(join(this.folder, 'prometheus.yml'), JSON.stringify(config))
    const args = [`--config.file=${this.folder}/prometheus.yml`, `--storage.tsdb.path=${this.folder}/data`]
    this.prometheus = spawn('prometheus', [...args, `--web.listen-address=127.0.0.1:${port}`], { stdio: 'ignore' })
    await waitFor(() => fetch(`${this.url}/-/ready`).then((r) => r.ok), { timeoutMs: 60_000, what: 'Prometheus' })
  }

  async stop(): Promise<void> {
    if (this.schedule !== '') await this.client?.want(204, 'DELETE', `/api/v1/schedules/${this.schedule}`)
    if (this.prometheus) {
      const gone = once(this.prometheus, 'exit')
      this.prometheus.kill('SIGTERM')
      await gone
    }
    rmSync(this.folder, { recursive: true, force: true })
  }

  async get<T>(path: string, params: Record<string, string> = {}): Promise<T> {
    const answer = await fetch(`${this.url}/api/v1/${path}?${new URLSearchParams(params)}`, {
      signal: AbortSignal.timeout(30_000),
    })
    const { data, error } = (await answer.json()) as { data: T; error?: string }
    if (error) throw new Error(`${JSON.stringify(params)}: ${error}`)
    return data
  }

  private async prepare(): Promise<Client> {
    const { client } = await newUser(this.target)
    this.client = client
    const limited = { uses: 'noop', concurrency: { limit: 1, key: 'one' } }
    const items = { uses: 'map', with: { items: [1, 2, 3], task: { uses: 'noop' } } }
    await client.createWorkflow({
      name: 'metrics-ok',
      tasks: { a: limited, b: items, c: { uses: 'sleep', with: { duration: '50ms' } } },
    })
    await client.createWorkflow({ name: 'metrics-bad', tasks: { a: { uses: 'fail', retry: { maxAttempts: 1 } } } })
    const retry = { maxAttempts: 2, delay: '10ms', jitter: 'none' }
    await client.createWorkflow({ name: 'metrics-retry', tasks: { a: { uses: 'fail', with: { times: 1 }, retry } } })
    const everySecond = { workflow: 'metrics-ok', cron: '* * * * * *' }
    const schedule = await client.want<{ id: string }>(201, 'POST', '/api/v1/schedules', { body: everySecond })
    this.schedule = schedule.id
    const channel = { type: 'webhook', url: `${this.target.sink.url}/hook` }
    const made = await client.want<{ id: string }>(201, 'POST', '/api/v1/subscriptions', {
      body: { events: ['workflow.completed'], channel },
    })
    this.subscription = made.id
    return client
  }

  /** A little of everything that a healthy deployment does. */
  private async load(client: Client, round: number): Promise<void> {
    const runs = [client.startRun('metrics-ok'), client.startRun('metrics-bad'), client.startRun('metrics-retry')]
    for (const { id } of await Promise.all(runs)) await client.ended(id, 60_000)
    if (round === 0) await client.want(202, 'POST', `/api/v1/subscriptions/${this.subscription}/test`)
  }

  private async empty(queries: readonly Query[]): Promise<string[]> {
    const missing: string[] = []
    for (const { place, expression } of queries) {
      const { result } = await this.get<{ result: unknown[] }>('query', { query: forGrafana(expression) })
      if (result.length === 0) missing.push(`${place}: ${expression}`)
    }
    return missing.filter((text) => !this.isExcused(text))
  }

  private isExcused(text: string): boolean {
    return Object.keys(this.needsMore).some((part) => text.includes(part))
  }

  /** Loads until everything asked for is there. What is not by then is named, whatever the load itself came to. */
  async expectSeries(withinMs: number): Promise<void> {
    const client = await this.prepare()
    const recordQueries = records.map(({ record = '' }) => ({ place: record, expression: record }))
    const deadline = performance.now() + withinMs
    let missing: string[]
    let round = 0
    do {
      await Promise.race([this.load(client, round++), delay(deadline - performance.now(), undefined, { ref: false })])
      missing = await this.empty([...panelQueries, ...recordQueries])
    } while (missing.length > 0 && performance.now() < deadline)
    expect(missing, `without series after ${round} rounds of load`).toEqual([])
    const { activeTargets } = await this.get<{ activeTargets: { health: string }[] }>('targets')
    expect(activeTargets.map(({ health }) => health)).toEqual(activeTargets.map(() => 'up'))
    // OpenMetrics names the family of a counter without its suffix.
    const families = Object.keys(await this.get<Record<string, unknown>>('metadata'))
    const scraped = new Set(families.flatMap((name) => [name, `${name}_total`]))
    const unknown = [...panelQueries, ...ruleQueries].flatMap(({ place, expression }) =>
      metricsIn(expression)
        .filter((name) => !scraped.has(name) && !this.isExcused(name))
        .map((name) => `${place}: ${name}`),
    )
    expect(unknown).toEqual([])
  }

  async expectHealthyRules(): Promise<void> {
    const { groups } = await this.get<{
      groups: { rules: { name: string; health: string; state?: string; labels?: Record<string, string> }[] }[]
    }>('rules')
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBe(records.length + alerts.length)
    expect(rules.filter(({ health }) => health !== 'ok').map(({ name }) => name)).toEqual([])
    const firing = rules.filter(({ state, labels }) => state === 'firing' && labels?.severity === 'page')
    expect(firing.map(({ name }) => name)).toEqual([])
  }
}

const forGrafana = (expression: string): string =>
  expression.replaceAll('$__rate_interval', '1m').replaceAll('$service', 'workflow')
