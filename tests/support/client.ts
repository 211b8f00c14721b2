import { randomUUID } from 'node:crypto'
import { waitFor } from '@millrace/testkit'
import { expect } from 'vitest'
import type { ApiKey, Page, Run, RunSummary, Workflow } from './shapes.js'
import type { Target } from './target.js'

export interface Reply<T> {
  status: number
  headers: Headers
  body: T
  text: string
}

export interface Call {
  /** Sent as JSON, unless `raw` is given. */
  body?: unknown
  raw?: string | Buffer
  headers?: Record<string, string>
  signal?: AbortSignal
}

const ended = ['succeeded', 'failed', 'cancelled']

/** One caller of the gateway. */
export class Client {
  constructor(
    readonly url: string,
    readonly token?: string,
    readonly project?: string,
  ) {}

  as(token: string | undefined): Client {
    return new Client(this.url, token)
  }

  in(project: string): Client {
    return new Client(this.url, this.token, project)
  }

  open(method: string, path: string, call: Call = {}): Promise<Response> {
    const json = call.raw === undefined && call.body !== undefined
    return fetch(this.url + path, {
      method,
      headers: {
        ...(this.token === undefined ? {} : { authorization: `Bearer ${this.token}` }),
        ...(this.project === undefined ? {} : { 'x-millrace-project': this.project }),
        ...(json ? { 'content-type': 'application/json' } : {}),
        ...call.headers,
      },
      redirect: 'manual',
      ...(json ? { body: JSON.stringify(call.body) } : {}),
      ...(call.raw === undefined ? {} : { body: call.raw }),
      ...(call.signal === undefined ? {} : { signal: call.signal }),
    })
  }

  async call<T = unknown>(method: string, path: string, call: Call = {}): Promise<Reply<T>> {
    const response = await this.open(method, path, call)
    const text = await response.text()
    const isJson = /[/+]json\b/.test(response.headers.get('content-type') ?? '')
    const body = (isJson && text !== '' ? JSON.parse(text) : undefined) as T
    return { status: response.status, headers: response.headers, body, text }
  }

  /** The body of an answer that must have this status. */
  async want<T = unknown>(status: number, method: string, path: string, call: Call = {}): Promise<T> {
    const reply = await this.call<T>(method, path, call)
    expect(reply.status, `${method} ${path} answered ${reply.text.slice(0, 1000)}`).toBe(status)
    return reply.body
  }

  get<T>(path: string): Promise<T> {
    return this.want<T>(200, 'GET', path)
  }

  createWorkflow(definition: object): Promise<Workflow> {
    return this.want(201, 'POST', '/api/v1/workflows', { body: definition })
  }

  startRun(workflow: string, body: object = {}, headers: Record<string, string> = {}): Promise<RunSummary> {
    return this.want(202, 'POST', `/api/v1/workflows/${workflow}/runs`, { body, headers })
  }

  /** Creates a workflow of these tasks under a name of its own, and starts it. */
  async runTasks(tasks: Record<string, object>, body: object = {}): Promise<RunSummary> {
    const { name } = await this.createWorkflow({ name: uniqueName('wf'), tasks })
    return this.startRun(name, body)
  }

  run(id: string): Promise<Run> {
    return this.get(`/api/v1/runs/${id}`)
  }

  runUntil(id: string, what: string, probe: (run: Run) => boolean, timeoutMs = 20_000): Promise<Run> {
    const look = async () => {
      const run = await this.run(id)
      return probe(run) ? run : undefined
    }
    return waitFor(look, { timeoutMs, intervalMs: 50, what: `run ${id} ${what}` })
  }

  ended(id: string, timeoutMs = 20_000): Promise<Run> {
    return this.runUntil(id, 'ended', (run) => ended.includes(run.status), timeoutMs)
  }

  /** Every item of a list, page by page, in the order given. */
  async all<T>(path: string, limit = 200): Promise<T[]> {
    const items: T[] = []
    let cursor: string | null = null
    do {
      const at: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page: Page<T> = await this.get<Page<T>>(`${path}${path.includes('?') ? '&' : '?'}limit=${limit}${at}`)
      items.push(...page.items)
      cursor = page.nextCursor
    } while (cursor !== null)
    return items
  }

  createKey(role: string): Promise<ApiKey> {
    return this.want(201, 'POST', '/api/v1/api-keys', { body: { name: `key of ${role}`, role } })
  }
}

export const uniqueName = (prefix: string): string => `${prefix}-${randomUUID().slice(0, 13)}`

export interface Account {
  id: string
  email: string
  password: string
  project: { id: string; slug: string }
  client: Client
}

/** A user of their own project, so that tests do not see each other. */
export async function newUser(
  target: Pick<Target, 'url'>,
  { name = 'A user', email = `${uniqueName('user')}@example.test` } = {},
): Promise<Account> {
  const anonymous = new Client(target.url)
  const password = `pw ${randomUUID()}`
  const { user, project } = await anonymous.want<{ user: { id: string }; project: { id: string; slug: string } }>(
    201,
    'POST',
    '/api/v1/auth/register',
    { body: { email, password, name } },
  )
  return { id: user.id, email, password, project, client: await login(target, { email, password }) }
}

export async function login(
  target: Pick<Target, 'url'>,
  { email, password }: { email: string; password: string },
): Promise<Client> {
  const anonymous = new Client(target.url)
  const { accessToken } = await anonymous.want<{ accessToken: string }>(200, 'POST', '/api/v1/auth/login', {
    body: { email, password },
  })
  return anonymous.as(accessToken)
}
