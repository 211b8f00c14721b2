import { type SinkRequest, waitFor } from '@millrace/testkit'
import pg from 'pg'
import { expect } from 'vitest'
import type { Client } from '../../../tests/support/client.js'
import type { Target } from '../../../tests/support/target.js'

/** What a proof has to know of the deployment beside its gateway. */
export interface Deployment {
  databaseUrl(): string
  /** Something that handlers of events and answers of the API need goes away under load, and comes back. */
  interrupt(client: Client): Promise<void>
}

const timeoutMs = 120_000
/** More than open a circuit at each of two workers. */
const callers = 24

/** Each kind of work that is rare in a healthy deployment, once. */
export class RareWork {
  private peerFails = true

  constructor(
    private readonly target: Target,
    private readonly client: Client,
    private readonly deployment: Deployment,
    private readonly hasSeries: (query: string) => Promise<boolean>,
  ) {
    target.sink.otherwise((request) => this.answer(request))
  }

  private answer({ url }: SinkRequest): { status: number; delayMs?: number } {
    if (url === '/gone') return { status: 410 }
    if (url === '/slow') return { status: 200, delayMs: 60_000 }
    if (url === '/failing' && this.peerFails) return { status: 500 }
    return { status: 204 }
  }

  async doAll(): Promise<void> {
    await this.breakContract()
    await this.loseEndpoint()
    await Promise.all([this.startChild(), this.putOutLarge(), this.openCircuit(), this.cancelRunning()])
  }

  private async startChild(): Promise<void> {
    await this.client.createWorkflow({ name: 'rare-child', tasks: { a: { uses: 'noop' } } })
    await this.runToEnd({ sub: { uses: 'workflow', with: { name: 'rare-child' } } })
  }

  private putOutLarge(): Promise<void> {
    return this.runToEnd(
      { a: { uses: 'transform', with: { value: '${{ input.text }}' } } },
      { text: 'x'.repeat(100_000) },
    )
  }

  /** The peer fails until a circuit is open, and is well when the next probe asks. */
  private async openCircuit(): Promise<void> {
    const retry = { maxAttempts: 9, delay: '10ms', jitter: 'none' }
    const call = { uses: 'http', with: { url: `${this.target.sink.url}/failing` }, retry }
    const ended = this.runToEnd(Object.fromEntries(Array.from({ length: callers }, (_, n) => [`call${n}`, call])))
    const isOpen = () => this.hasSeries('millrace_worker_circuits_open{uses="http"} > 0')
    await Promise.race([waitFor(isOpen, { timeoutMs, what: 'a circuit is open' }), ended])
    this.peerFails = false
    await ended
  }

  private async cancelRunning(): Promise<void> {
    const { id } = await this.client.runTasks({ a: { uses: 'http', with: { url: `${this.target.sink.url}/slow` } } })
    await waitFor(() => this.target.sink.requests.some(({ url }) => url === '/slow'), { timeoutMs })
    await this.client.want(200, 'POST', `/api/v1/runs/${id}/cancel`)
    expect((await this.client.ended(id, timeoutMs)).status).toBe('cancelled')
  }

  /** An endpoint that says it is gone is never tried again. */
  private async loseEndpoint(): Promise<void> {
    const channel = { type: 'webhook', url: `${this.target.sink.url}/gone` }
    await this.client.want(201, 'POST', '/api/v1/subscriptions', { body: { events: ['workflow.completed'], channel } })
  }

  /** An event without a field that its contract requires: its readers set it aside. */
  private async breakContract(): Promise<void> {
    const connection = new pg.Client({ connectionString: this.deployment.databaseUrl() })
    await connection.connect()
    try {
      await connection.query(
        `insert into events.log (topic, key, source, data) values ('workflow.completed', 'broken', 'test', '{"status": "succeeded"}')`,
      )
    } finally {
      await connection.end()
    }
  }

  private async runToEnd(tasks: Record<string, object>, input: object = {}): Promise<void> {
    const { id } = await this.client.runTasks(tasks, { input })
    expect(await this.client.ended(id, timeoutMs)).toMatchObject({ status: 'succeeded', error: null })
  }
}
