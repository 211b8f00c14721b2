import { createServer, type Server } from 'node:http'
import net, { type AddressInfo } from 'node:net'
import tls from 'node:tls'
import { AppError } from '@millrace/errors'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createEgress, type Egress, type ResolvedAddress } from '../src/index.js'
import { outside, resolveTricks, tricks } from './tricks.js'

let inside: Server
let port = 0
let reached: string[] = []
let egress: Egress

beforeAll(async () => {
  inside = createServer((req, res) => {
    reached.push(`${req.method} ${req.headers.host}${req.url}`)
    res.end('internal')
  })
  inside.on('connect', (req, socket) => {
    reached.push(`CONNECT ${req.url}`)
    socket.destroy()
  })
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
  port = (inside.address() as AddressInfo).port
  egress = createEgress({ allowPrivate: false, allow: [], resolve: resolveTricks, connectTimeoutMs: 300 })
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})
afterAll(async () => {
  await egress.close()
  inside.closeAllConnections()
  inside.close()
})

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => new Error('it was answered'),
    (reason: unknown) => reason,
  )
  if (error instanceof AppError) return error
  throw error
}

/** Sockets tell where they would connect to, and connect nowhere. */
function recordDials(): string[] {
  const dialled: string[] = []
  const dial = (options: net.TcpNetConnectOpts): net.Socket => {
    const socket = new net.Socket()
    const refuse = (address: unknown) => {
      dialled.push(String(address))
      process.nextTick(() => socket.destroy(new Error('connects nowhere')))
    }
    if (options.lookup) options.lookup(options.host ?? '', { all: false }, (_error, address) => refuse(address))
    else refuse(options.host)
    return socket
  }
  vi.spyOn(net, 'connect').mockImplementation(dial as typeof net.connect)
  vi.spyOn(tls, 'connect').mockImplementation(dial as unknown as typeof tls.connect)
  return dialled
}

/** For calls that connect nowhere: how they fail is not asked. */
const ended = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined)

const refusals = ['egress_denied', 'dns_error', 'url_invalid', 'redirect_refused']

describe('no trick reaches the inside', () => {
  it('by its URL', async () => {
    reached = []
    const all = tricks(port)
    expect(all.length).toBeGreaterThanOrEqual(200)
    for (const { kind, url } of all) {
      const { reason } = await failureOf(egress.fetch(url, { timeoutMs: 2_000 }))
      expect(refusals, `${kind}: ${JSON.stringify(url)} failed by ${reason}`).toContain(reason)
    }
    expect(reached).toEqual([])
  })

  it.each([301, 302, 303, 307, 308])('by a redirect with status %d', async (status) => {
    let location = ''
    const outer = createServer((_req, res) => res.writeHead(status, { location }).end())
    await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve))
    const { port: outerPort } = outer.address() as AddressInfo
    const through = createEgress({ allowPrivate: false, allow: [`127.0.0.1:${outerPort}`], resolve: resolveTricks })
    reached = []
    try {
      for (const { kind, url } of tricks(port)) {
        // As a header can carry it, and as a server would read it; relative ones stay where they are.
        location = encodeURI(url.trim())
        if (!/^\s*[a-z+-]+:\/?\/?[^/]/i.test(location) || URL.canParse(location) === false) continue
        const { reason } = await failureOf(through.fetch(`http://127.0.0.1:${outerPort}/`, { timeoutMs: 2_000 }))
        expect([...refusals, 'too_many_redirects'], `${kind}: ${url} failed by ${reason}`).toContain(reason)
      }
    } finally {
      await through.close()
      outer.closeAllConnections()
      outer.close()
    }
    expect(reached).toEqual([])
  })

  it('by a name that means something else the second time', async () => {
    let asked = 0
    const resolve = async (): Promise<ResolvedAddress[]> => [
      asked++ % 2 === 0 ? outside : { address: '127.0.0.1', family: 4 },
    ]
    const rebound = createEgress({ allowPrivate: false, allow: [], resolve })
    const dialled = recordDials()
    for (let i = 0; i < 6; i++) await ended(rebound.fetch(`http://rebind.example:${port}/`, { timeoutMs: 500 }))
    await rebound.close()
    expect(new Set(dialled)).toEqual(new Set([outside.address]))
  })

  it('by a proxy that the environment names', async () => {
    const proxies = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'all_proxy']
    for (const name of proxies) vi.stubEnv(name, `http://127.0.0.1:${port}`)
    const fresh = createEgress({ allowPrivate: false, allow: [], resolve: async () => [outside] })
    const dialled = recordDials()
    for (const scheme of ['http', 'https']) {
      await ended(fresh.fetch(`${scheme}://public.example:${port}/`, { timeoutMs: 500 }))
    }
    await fresh.close()
    expect(dialled).toEqual([outside.address, outside.address])
  })

  it('by a header that names another host', async () => {
    reached = []
    const headers = { host: `127.0.0.1:${port}`, 'x-forwarded-host': '127.0.0.1' }
    await failureOf(egress.fetch(`http://inside.example:${port}/`, { headers, timeoutMs: 500 }))
    expect(reached).toEqual([])
  })

  it('through addresses, which other protocols connect to', async () => {
    const urls = tricks(port).flatMap(({ url }) => (URL.canParse(url) ? [new URL(url)] : []))
    const names = urls.filter(({ protocol, hostname }) => /^https?:$/.test(protocol) && hostname !== '')
    expect(names.length).toBeGreaterThan(150)
    for (const { hostname } of names) {
      const { reason } = await failureOf(egress.addresses(hostname, 5432))
      expect(['egress_denied', 'dns_error'], hostname).toContain(reason)
    }
  })
})

describe('a refused name', () => {
  const inner = ['inside.example', 'loopback.example', 'mixed.example', 'zoned.example', 'metadata.google.internal']

  it('is told apart from none that does not exist', async () => {
    const said = new Set<string>()
    for (const host of [...inner, 'empty.example', 'absent.example', 'broken.example']) {
      for (const call of [
        egress.fetch(`http://${host}/`),
        egress.check(`http://${host}/`),
        egress.addresses(host, 80),
      ]) {
        const { code, reason, message } = await failureOf(call)
        said.add(`${code} ${reason} ${message.replaceAll(host, 'HOST')}`)
      }
    }
    expect([...said]).toEqual(['unavailable dns_error The name HOST has no public address'])
  })
})
