import type { Pool } from 'undici'

/** An access token is good for a quarter of an hour; a soak lasts longer. */
const RENEW_MS = 10 * 60_000

export class Api {
  private renewed = performance.now()

  private constructor(
    private readonly http: Pool,
    private readonly credentials: { email: string; password: string },
    private token: string,
    private readonly url: string,
  ) {}

  /** For streams, which are not calls. */
  get origin(): { url: string; token: string } {
    return { url: this.url, token: this.token }
  }

  static async login(http: Pool, email: string, password: string, url = ''): Promise<Api> {
    const credentials = { email, password }
    return new Api(http, credentials, await tokenFor(http, credentials), url)
  }

  async call(method: Method, path: string, body?: unknown): Promise<unknown> {
    if (performance.now() - this.renewed > RENEW_MS) {
      this.renewed = performance.now()
      this.token = await tokenFor(this.http, this.credentials)
    }
    return ask(this.http, method, path, body, this.token)
  }

  async define(name: string, tasks: object): Promise<void> {
    await this.call('PUT', `/api/v1/workflows/${name}`, { name, tasks })
  }

  async start(name: string): Promise<string> {
    const run = (await this.call('POST', `/api/v1/workflows/${name}/runs`, {})) as { id: string }
    return run.id
  }

  /** A thousand in a call. */
  async startBatch(name: string, count: number): Promise<void> {
    for (let left = count; left > 0; left -= 1000) {
      const items = Array.from({ length: Math.min(left, 1000) }, () => ({}))
      await this.call('POST', `/api/v1/workflows/${name}/runs/batch`, { items })
    }
  }

  /** One call each, this many at a time. */
  async startMany(name: string, count: number, inFlight: number): Promise<void> {
    let left = count
    const next = async () => {
      while (left-- > 0) await this.start(name)
    }
    await Promise.all(Array.from({ length: inFlight }, next))
  }
}

type Method = 'GET' | 'POST' | 'PUT'

async function tokenFor(http: Pool, credentials: { email: string; password: string }): Promise<string> {
  const answer = (await ask(http, 'POST', '/api/v1/auth/login', credentials)) as { accessToken: string }
  return answer.accessToken
}

async function ask(http: Pool, method: Method, path: string, body: unknown, token?: string): Promise<unknown> {
  const response = await http.request({
    method,
    path,
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.body.text()
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`)
  return JSON.parse(text)
}
