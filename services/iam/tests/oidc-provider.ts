import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'

export interface Person {
  email?: string
  email_verified?: boolean
  name?: string
  groups?: string[]
}

export const redirectUri = 'http://gateway.test/api/v1/auth/oidc/callback'

/** A real provider on a port of its own. People log in by name; what is known of them may change between logins. */
export async function startProvider(people: Map<string, Person>) {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [{ client_id: 'millrace', client_secret: 'a-client-secret', redirect_uris: [redirectUri] }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
    pkce: { required: () => true, methods: ['S256'] },
    cookies: { keys: ['a key for tests'] },
    findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, ...people.get(id) }) }),
  })
  server.on('request', provider.callback())
  const close = async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
  return { issuer, close }
}

/** A browser: keeps cookies by host, and follows redirects as long as they stay at the provider. */
export class Browser {
  private readonly jar = new Map<string, Map<string, string>>()

  async open(url: string, form?: Record<string, string>): Promise<Response> {
    const { host } = new URL(url)
    const cookies = this.jar.get(host) ?? new Map<string, string>()
    this.jar.set(host, cookies)
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';')
      const at = pair.indexOf('=')
      if (/max-age=0|expires=thu, 01 jan 1970/i.test(line)) cookies.delete(pair.slice(0, at))
      else cookies.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }

  cookies(host: string): ReadonlyMap<string, string> {
    return this.jar.get(host) ?? new Map()
  }

  /** From the provider's first page to the address that it sends the browser back to. */
  async logIn(url: string, login: string): Promise<URL> {
    let at = url
    for (let steps = 0; steps < 20; steps++) {
      const page = await this.open(at)
      const location = page.headers.get('location')
      if (location !== null) {
        at = new URL(location, at).href
        if (at.startsWith(redirectUri)) return new URL(at)
        continue
      }
      const text = await page.text()
      const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1] ?? ''
      const answered = await this.open(at, { prompt, ...(prompt === 'login' ? { login, password: 'any' } : {}) })
      at = new URL(answered.headers.get('location') ?? '/', at).href
      if (at.startsWith(redirectUri)) return new URL(at)
    }
    throw new Error(`the provider did not send the browser back: ${at}`)
  }
}
