import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import type { Account, Call, Client, Reply } from '../support/client.js'
import { login } from '../support/client.js'
import type { Run, Upload } from '../support/shapes.js'
import type { Target } from '../support/target.js'

const whole = (expression: string) => `\${{ ${expression} }}`
const again = { retry: { maxAttempts: 8, backoff: 'fixed', delay: '200ms', jitter: 'none' } }

/** A task whose effect can be counted: once for each idempotency key. */
const counted = (sinkUrl: string) => ({
  uses: 'http',
  with: { method: 'POST', url: `${sinkUrl}/count`, headers: { 'x-key': whole('task.idempotencyKey') } },
  ...again,
})

function definitions(sinkUrl: string): object[] {
  const count = counted(sinkUrl)
  const leaves = Object.fromEntries(
    Array.from({ length: 6 }, (_, n) => [
      `leaf${n}`,
      n < 2 ? { ...count, needs: ['root'] } : { uses: 'transform', with: { value: n }, needs: ['root'] },
    ]),
  )
  return [
    { name: 'chain', tasks: { a: count, b: { uses: 'noop', needs: ['a'] }, c: { ...count, needs: ['b'] } } },
    { name: 'fan', tasks: { root: { uses: 'noop' }, ...leaves, join: { uses: 'noop', needs: Object.keys(leaves) } } },
    {
      name: 'flaky',
      tasks: { f: { uses: 'fail', with: { times: 1 }, ...again }, done: { ...count, needs: ['f'] } },
    },
    { name: 'nap', tasks: { s: { uses: 'sleep', with: { duration: '300ms' } }, e: { uses: 'noop', needs: ['s'] } } },
    {
      name: 'human',
      tasks: {
        ask: { uses: 'approval' },
        word: { uses: 'signal', with: { name: 'go' }, needs: ['ask'] },
        done: { ...count, needs: ['word'] },
      },
    },
    {
      name: 'parent',
      tasks: { child: { uses: 'workflow', with: { name: 'chain' } }, end: { uses: 'noop', needs: ['child'] } },
    },
    { name: 'hooked', tasks: { done: count } },
    {
      name: 'mapped',
      tasks: {
        each: { uses: 'map', with: { items: [1, 2, 3, 4, 5], maxParallel: 3, task: count } },
        join: { uses: 'noop', needs: ['each'] },
      },
    },
    // Two at once in the whole project, and one a run: whoever dies with a slot must give it back.
    {
      name: 'limited',
      concurrency: { limit: 2, onLimit: 'queue' },
      tasks: {
        a: { ...count, concurrency: { limit: 2, key: 'chaos' } },
        b: { ...count, concurrency: { limit: 2, key: 'chaos' } },
        c: { uses: 'noop', needs: ['a', 'b'] },
      },
    },
    { name: 'stopped', tasks: { long: { uses: 'sleep', with: { duration: '4s' } } } },
    { name: 'tick', tasks: { t: { uses: 'noop' } } },
  ]
}

/** For one call, whatever dies meanwhile; a slow machine takes its time to start a process. */
const patienceMs = 180_000

const kinds = ['chain', 'fan', 'flaky', 'nap', 'human', 'parent', 'mapped', 'limited', 'stopped'] as const
type Kind = (typeof kinds)[number]

export interface Started {
  kind: Kind | 'hooked'
  label: string
}

/** One account and what it asks for, whatever dies meanwhile: every call is repeated until it is answered. */
export class Load {
  private hookToken = ''
  /** What failed lately, for whoever asks why a case did. */
  readonly failures: string[] = []
  private constructor(
    private readonly target: Target,
    readonly account: Account,
    private client: Client,
  ) {}

  static async prepare(target: Target, account: Account): Promise<Load> {
    const load = new Load(target, account, account.client)
    for (const definition of definitions(target.sink.url)) await load.client.createWorkflow(definition)
    await load.client.want(201, 'POST', '/api/v1/subscriptions', {
      body: { events: ['workflow.completed'], channel: { type: 'webhook', url: `${target.sink.url}/told` } },
    })
    const hook = await load.client.want<{ token: string }>(201, 'POST', '/api/v1/workflows/hooked/hooks')
    load.hookToken = hook.token
    await load.client.want(201, 'POST', '/api/v1/schedules', {
      body: { workflow: 'tick', cron: '* * * * * *', catchup: 'all' },
    })
    return load
  }

  /** Tokens live a quarter of an hour. */
  async renew(): Promise<void> {
    this.client = await this.until('login', () => login(this.target, this.account))
  }

  get reader(): Client {
    return this.client
  }

  /** Starts `each` runs of every kind at once and sees each through. */
  async drive(name: string, each: number): Promise<Started[]> {
    const wanted = kinds.flatMap((kind) =>
      Array.from({ length: each }, (_, n): Started => ({ kind, label: `${name}-${kind}-${n}` })),
    )
    const hooks = Array.from({ length: each }, (_, n): Started => ({ kind: 'hooked', label: `${name}-hooked-${n}` }))
    await Promise.all([
      ...wanted.map((one) => this.seeThrough(one)),
      ...hooks.map((one) => this.callHook(one.label)),
      this.keepFile(name),
    ])
    return [...wanted, ...hooks]
  }

  private async seeThrough({ kind, label }: Started): Promise<void> {
    const body = { labels: { chaos: label }, ...(kind === 'nap' ? { delaySeconds: 1 } : {}) }
    const { id } = await this.startOnce(kind, body)
    if (kind === 'human') {
      await this.settle('POST', `/api/v1/runs/${id}/signals/go`, { body: { payload: { label } } }, label)
      await this.untilRun(id, (run) => run.tasks[0]?.status === 'waiting')
      await this.settle('POST', `/api/v1/runs/${id}/tasks/ask/approve`, { body: {} })
    } else if (kind === 'stopped') {
      // It may be over by the time that anybody answers; the cancel then says so.
      await this.untilRun(id, (run) => ['running', 'succeeded'].includes(run.tasks[0]?.status ?? ''))
      await this.settle('POST', `/api/v1/runs/${id}/cancel`, {})
    }
  }

  private async startOnce(workflow: string, body: object): Promise<{ id: string }> {
    const reply = await this.settle<{ id: string }>(
      'POST',
      `/api/v1/workflows/${workflow}/runs`,
      { body },
      randomUUID(),
    )
    expect(reply.status, reply.text).toBe(202)
    return reply.body
  }

  private async callHook(label: string): Promise<void> {
    const call = { body: { label } }
    const reply = await this.settle('POST', `/api/v1/hooks/${this.hookToken}`, call, label)
    expect(reply.status, reply.text).toBe(202)
  }

  private async keepFile(name: string): Promise<void> {
    const text = `content of ${name}`
    await this.until('a file', async () => {
      const upload = await this.client.want<Upload>(201, 'POST', '/api/v1/artifacts', { body: { name: `${name}.txt` } })
      const put = { method: 'PUT', headers: upload.uploadHeaders, body: text }
      const sent = await fetch(new URL(upload.uploadUrl, this.target.url), put)
      if (!sent.ok) throw new Error(`the upload answered ${sent.status}`)
      await this.client.want(200, 'POST', `/api/v1/artifacts/${upload.id}/complete`)
      const kept = await this.client.call('GET', `/api/v1/artifacts/${upload.id}/content`)
      expect(kept.text).toBe(text)
    })
  }

  private untilRun(id: string, probe: (run: Run) => boolean): Promise<void> {
    return this.until(`run ${id}`, async () => {
      if (!probe(await this.client.run(id))) throw new Error('not yet')
    })
  }

  /** A key that a crash left in progress has done nothing: another takes its place. 409 otherwise means: done before. */
  private async settle<T>(method: string, path: string, call: Call, key?: string): Promise<Reply<T>> {
    let current = key
    let inProgress = 0
    return this.until(`${method} ${path}`, async () => {
      const headers = current === undefined ? {} : { 'idempotency-key': current }
      const reply = await this.client.call<T>(method, path, { ...call, headers })
      if (reply.status >= 500 || reply.status === 429) throw new Error(`answered ${reply.status}`)
      if (reply.text.includes('idempotency_in_progress')) {
        inProgress += 1
        if (inProgress > 20) current = randomUUID()
        throw new Error('in progress')
      }
      return reply
    })
  }

  private async until<T>(what: string, work: () => Promise<T>): Promise<T> {
    const end = Date.now() + patienceMs
    for (;;) {
      try {
        return await work()
      } catch (error) {
        this.failures.push(`${new Date().toISOString()} ${what}: ${String(error).slice(0, 300)}`)
        if (Date.now() > end) throw new Error(`${what} did not succeed in time`, { cause: error })
        await delay(100)
      }
    }
  }
}
