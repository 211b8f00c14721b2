import type { Pool } from 'undici'

export class Api {
  private constructor(
    private readonly http: Pool,
    private readonly token: string,
    private readonly url = '',
  ) {}

  /** For streams, which are not calls. */
  get origin(): { url: string; token: string } {
    return { url: this.url, token: this.token }
  }

  static async login(http: Pool, email: string, password: string, url = ''): Promise<Api> {
    const anonymous = new Api(http, '')
    const answer = (await anonymous.call('POST', '/api/v1/auth/login', { email, password })) as { accessToken: string }
    return new Api(http, answer.accessToken, url)
  }

  async call(method: 'GET' | 'POST' | 'PUT', path: string, body?: unknown): Promise<unknown> {
    const response = await this.http.request({
      method,
      path,
      headers: {
        'content-type': 'application/json',
        ...(this.token ? { authorization: `Bearer ${this.token}` } : {}),
      },
      body: body === undefined ? null : JSON.stringify(body),
    })
    const text = await response.body.text()
    if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${text}`)
    return JSON.parse(text)
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
