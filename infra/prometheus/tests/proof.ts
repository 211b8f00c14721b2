import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import { expect } from 'vitest'
import { type Client, newUser } from '../../../tests/support/client.js'
import type { Target } from '../../../tests/support/target.js'
import { alerts, metricsIn, panelQueries, type Query, records, ruleQueries } from './queries.js'
import { type Deployment, RareWork } from './rare-work.js'
import { RealPrometheus, type ScrapeConfig } from './real-prometheus.js'

const requests = 'http_server_request_duration_seconds'
const ofService = '"$service"'
/** Filled by a fault of one service: no proof breaks each. */
const errorsOfAny = 'status=~"5.."'
/** Two panels of the dashboard of one service are empty for those that serve no gRPC. */
const withoutGrpc = /millrace_grpc_server_seconds_\w+\{service="(artifact|notification)"/
const ofFaults = ['millrace_events_handler_failures_total', errorsOfAny]

/** A real Prometheus beside a deployment: whatever the dashboards and the rules ask for is there under a small load. */
export class Proof {
  private readonly prometheus = new RealPrometheus()
  private client: Client | undefined
  private schedule = ''
  private subscription = ''
  private rare: RareWork | undefined

  constructor(
    private readonly target: Target,
    private readonly deployment: Deployment,
    /** Parts of queries that this deployment leaves without series, and what would fill them. */
    private readonly needsMore: Readonly<Record<string, string>>,
  ) {}

  start(scrapeConfigs: ScrapeConfig[]): Promise<void> {
    return this.prometheus.start(scrapeConfigs)
  }

  async stop(): Promise<void> {
    try {
      if (this.schedule !== '') await this.client?.want(204, 'DELETE', `/api/v1/schedules/${this.schedule}`)
    } finally {
      await this.prometheus.stop()
    }
  }

  private async prepare(): Promise<Client> {
    const { client } = await newUser(this.target)
    this.client = client
    this.rare = new RareWork(this.target, client, this.deployment, (query) => this.prometheus.hasSeries(query))
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

  /** A little of everything that a healthy deployment does, what it does seldom once, and a fault for what only that fills. */
  private async load(client: Client, round: number, missing: readonly string[]): Promise<void> {
    const runs = [client.startRun('metrics-ok'), client.startRun('metrics-bad'), client.startRun('metrics-retry')]
    for (const { id } of await Promise.all(runs)) await client.ended(id, 60_000)
    if (round === 0) {
      await client.want(202, 'POST', `/api/v1/subscriptions/${this.subscription}/test`)
      await this.rare?.doAll()
    }
    if (round > 0 && missing.some((text) => ofFaults.some((part) => text.includes(part)))) {
      await this.deployment.interrupt(client)
    }
  }

  private async empty(queries: readonly Query[]): Promise<string[]> {
    const services = await this.prometheus.get<string[]>('label/service/values', { 'match[]': `${requests}_count` })
    const missing: string[] = []
    for (const { place, expression } of queries) {
      const asked = expression.includes(ofService)
        ? services.map((service) => expression.replaceAll(ofService, `"${service}"`))
        : [expression]
      const lacking = await this.withoutSeries(asked)
      const isEnough = expression.includes(errorsOfAny) && lacking.length < asked.length
      if (!isEnough) missing.push(...lacking.map((one) => `${place}: ${one}`))
    }
    return missing.filter((text) => !this.isExcused(text))
  }

  private async withoutSeries(expressions: readonly string[]): Promise<string[]> {
    const lacking: string[] = []
    for (const expression of expressions) {
      const query = expression.replaceAll('$__rate_interval', '1m')
      if (!(await this.prometheus.hasSeries(query))) lacking.push(expression)
    }
    return lacking
  }

  private isExcused(text: string): boolean {
    return withoutGrpc.test(text) || Object.keys(this.needsMore).some((part) => text.includes(part))
  }

  /** Loads until everything asked for is there. What is not by then is named, whatever the load itself came to. */
  async expectSeries(withinMs: number): Promise<void> {
    const client = await this.prepare()
    const recordQueries = records.map(({ record = '' }) => ({ place: record, expression: record }))
    const deadline = performance.now() + withinMs
    let missing: string[] = []
    let round = 0
    do {
      const work = this.load(client, round++, missing)
      await Promise.race([work, delay(deadline - performance.now(), undefined, { ref: false })])
      missing = await this.empty([...panelQueries, ...recordQueries])
    } while (missing.length > 0 && performance.now() < deadline)
    expect(missing, `without series after ${round} rounds of load`).toEqual([])
    const { activeTargets } = await this.prometheus.get<{ activeTargets: { health: string }[] }>('targets')
    expect(activeTargets.map(({ health }) => health)).toEqual(activeTargets.map(() => 'up'))
    // OpenMetrics names the family of a counter without its suffix.
    const families = Object.keys(await this.prometheus.get<Record<string, unknown>>('metadata'))
    const scraped = new Set(families.flatMap((name) => [name, `${name}_total`]))
    const unknown = [...panelQueries, ...ruleQueries].flatMap(({ place, expression }) =>
      metricsIn(expression)
        .filter((name) => !scraped.has(name) && !this.isExcused(name))
        .map((name) => `${place}: ${name}`),
    )
    expect(unknown).toEqual([])
  }

  /** From a metric to the trace of a request that it counts. */
  async expectExemplar(traceId: string): Promise<void> {
    const traceparent = `00-${traceId}-${'2'.repeat(16)}-01`
    await this.client?.want(200, 'GET', '/api/v1/workflows', { headers: { traceparent } })
    const found = await waitFor(
      async () => {
        const series = await this.prometheus.seriesOfTrace(`${requests}_bucket`, traceId)
        return series.length > 0 && series
      },
      { timeoutMs: 60_000, what: 'the exemplar of a traced request' },
    )
    expect(found).toContainEqual(expect.objectContaining({ service: 'workflow', operation: 'listWorkflows' }))
  }

  async expectHealthyRules(): Promise<void> {
    const { groups } = await this.prometheus.get<{
      groups: { rules: { name: string; health: string; state?: string; labels?: Record<string, string> }[] }[]
    }>('rules')
    const rules = groups.flatMap((group) => group.rules)
    expect(rules.length).toBe(records.length + alerts.length)
    expect(rules.filter(({ health }) => health !== 'ok').map(({ name }) => name)).toEqual([])
    const firing = rules.filter(({ state, labels }) => state === 'firing' && labels?.severity === 'page')
    expect(firing.map(({ name }) => name)).toEqual([])
  }
}
