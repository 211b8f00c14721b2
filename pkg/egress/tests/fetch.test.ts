import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { AppError } from '@millrace/errors'
import { afterEach, describe, expect, it } from 'vitest'
import { createEgress, type Egress, type EgressRequest, type ResolvedAddress } from '../src/index.js'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function serve(handler: (req: IncomingMessage, res: ServerResponse) => void): Promise<number> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  cleanups.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

function egressTo(ports: number[], resolve?: (host: string) => Promise<ResolvedAddress[]>): Egress {
  const allow = ports.flatMap((port) => [`127.0.0.1:${port}`, `friend.example:${port}`])
  const egress = createEgress({ allowPrivate: false, allow, ...(resolve ? { resolve } : {}) })
  cleanups.push(() => egress.close())
  return egress
}

async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => new Error('resolved'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof AppError)) throw error
  return error
}

describe('fetch', () => {
  it('sends method, headers and body, and reads the answer', async () => {
    const port = await serve((req, res) => {
      res.setHeader('x-echo', `${req.method} ${req.url} ${req.headers['x-in']}`)
      req.pipe(res.writeHead(201))
    })
    const request: EgressRequest = { method: 'post', headers: { 'x-in': 'a' }, body: 'hello' }
    const answer = await egressTo([port]).fetch(`http://127.0.0.1:${port}/p?q=1`, request)
    expect([answer.status, answer.headers['x-echo'], answer.body.toString()]).toEqual([201, 'POST /p?q=1 a', 'hello'])
  })

  it('refuses a private address without opening a connection', async () => {
    let connections = 0
    const port = await serve((_req, res) => {
      connections++
      res.end()
    })
    const failure = await failureOf(egressTo([]).fetch(`http://127.0.0.1:${port}/`))
    expect([failure.code, failure.reason, connections]).toEqual(['unprocessable', 'egress_denied', 0])
  })

  it('connects to the address that was checked, resolving a name once', async () => {
    const port = await serve((req, res) => res.end(req.headers.host))
    let lookups = 0
    // The second answer is what a rebinding server would give after the check.
    const resolve = async (): Promise<ResolvedAddress[]> => [
      { address: lookups++ === 0 ? '127.0.0.1' : '127.0.0.9', family: 4 },
    ]
    const answer = await egressTo([port], resolve).fetch(`http://friend.example:${port}/`)
    expect([answer.body.toString(), lookups]).toEqual([`friend.example:${port}`, 1])
  })

  it('turns userinfo into basic credentials and drops them at another origin', async () => {
    const last = await serve((req, res) => res.end(String(req.headers.authorization)))
    const first = await serve((req, res) => {
      res.writeHead(307, { location: `http://127.0.0.1:${last}/`, 'x-seen': String(req.headers.authorization) }).end()
    })
    const egress = egressTo([first, last])
    const direct = await egress.fetch(`http://u:p%20w@127.0.0.1:${last}/`)
    expect(direct.body.toString()).toBe(`Basic ${Buffer.from('u:p w').toString('base64')}`)
    const redirected = await egress.fetch(`http://u:p@127.0.0.1:${first}/`)
    expect(redirected.body.toString()).toBe('undefined')
  })
})

describe('redirects', () => {
  it.each([
    'http://127.0.0.1:1/',
    'http://[::1]/',
    'http://localhost/',
    '//169.254.169.254/',
    'file:///etc/passwd',
    'http://0x7f.1/',
  ])('refuses one that leads to %s', async (location) => {
    const port = await serve((_req, res) => res.writeHead(302, { location }).end())
    expect((await failureOf(egressTo([port]).fetch(`http://127.0.0.1:${port}/`))).reason).toBe('egress_denied')
  })

  it('follows those that are allowed, POST becoming GET on 302 and staying on 307', async () => {
    const port = await serve((req, res) => {
      if (req.url === '/303') res.writeHead(302, { location: '/end' }).end()
      else if (req.url === '/307') res.writeHead(307, { location: '/end' }).end()
      else {
        res.setHeader('x-method', String(req.method))
        req.pipe(res)
      }
    })
    const egress = egressTo([port])
    const see = await egress.fetch(`http://127.0.0.1:${port}/303`, { method: 'POST', body: 'x' })
    expect([see.headers['x-method'], see.body.toString(), new URL(see.url).pathname]).toEqual(['GET', '', '/end'])
    const again = await egress.fetch(`http://127.0.0.1:${port}/307`, { method: 'POST', body: 'x' })
    expect([again.headers['x-method'], again.body.toString()]).toEqual(['POST', 'x'])
  })

  const secretHeaders = {
    Authorization: 'a',
    Cookie: 'b',
    'X-Api-Key': 'c',
    'Private-Token': 'd',
    'proxy-authorization': 'e',
  }

  it.each([301, 302, 303, 307, 308])(
    'of status %d takes no header to another origin that could be a credential',
    async (status) => {
      const last = await serve((req, res) => res.end(JSON.stringify(req.headers)))
      const first = await serve((_req, res) => res.writeHead(status, { location: `http://127.0.0.1:${last}/` }).end())
      const headers = { ...secretHeaders, Accept: 'text/plain', 'User-Agent': 'millrace', Host: `127.0.0.1:${first}` }
      const answer = await egressTo([first, last]).fetch(`http://127.0.0.1:${first}/`, { headers })
      const seen = JSON.parse(answer.body.toString()) as Record<string, string>
      expect(seen).toEqual({
        host: `127.0.0.1:${last}`,
        connection: 'keep-alive',
        accept: 'text/plain',
        'user-agent': 'millrace',
      })
    },
  )

  it('gives nothing back to an origin that was left', async () => {
    let first = 0
    const last = await serve((_req, res) => res.writeHead(302, { location: `http://127.0.0.1:${first}/back` }).end())
    first = await serve((req, res) => {
      if (req.url === '/back') res.end(JSON.stringify(req.headers))
      else res.writeHead(302, { location: `http://127.0.0.1:${last}/` }).end()
    })
    const answer = await egressTo([first, last]).fetch(`http://127.0.0.1:${first}/`, { headers: secretHeaders })
    expect(Object.keys(JSON.parse(answer.body.toString()) as object).sort()).toEqual(['connection', 'host'])
  })

  it('keeps headers and body within an origin', async () => {
    const port = await serve((req, res) => {
      if (req.url === '/') res.writeHead(308, { location: '/end' }).end()
      else res.writeHead(200, { 'x-key': String(req.headers['x-api-key']) }) && req.pipe(res)
    })
    const answer = await egressTo([port]).fetch(`http://127.0.0.1:${port}/`, {
      method: 'PUT',
      headers: secretHeaders,
      body: 'x',
    })
    expect([answer.headers['x-key'], answer.body.toString()]).toEqual(['c', 'x'])
  })

  it('sends no body on to another origin', async () => {
    const methods: string[] = []
    const last = await serve((req, res) => {
      methods.push(String(req.method))
      req.pipe(res)
    })
    const first = await serve((req, res) => {
      res.writeHead(Number(req.url?.slice(1)), { location: `http://127.0.0.1:${last}/` }).end()
    })
    const egress = egressTo([first, last])
    const send = (status: number, method: string) =>
      egress.fetch(`http://127.0.0.1:${first}/${status}`, { method, body: 'client_secret=x' })
    for (const [status, method] of [
      [307, 'POST'],
      [308, 'POST'],
      [301, 'PUT'],
      [302, 'PATCH'],
    ] as const) {
      expect((await failureOf(send(status, method))).reason).toBe('redirect_refused')
    }
    expect(methods).toEqual([])
    expect((await send(303, 'PUT')).body.toString()).toBe('')
    expect((await send(302, 'POST')).body.toString()).toBe('')
    expect(methods).toEqual(['GET', 'GET'])
  })

  it('ends a loop, and answers the redirect itself when told to', async () => {
    const port = await serve((_req, res) => res.writeHead(302, { location: '/' }).end('moved'))
    const egress = egressTo([port])
    expect((await failureOf(egress.fetch(`http://127.0.0.1:${port}/`))).reason).toBe('too_many_redirects')
    expect((await egress.fetch(`http://127.0.0.1:${port}/`, { redirect: 'manual' })).status).toBe(302)
  })
})

describe('bounds', () => {
  it('cuts an endless answer off at the limit while it streams', async () => {
    let sent = 0
    const port = await serve((_req, res) => {
      const timer = setInterval(() => {
        sent += 1024
        res.write(Buffer.alloc(1024))
      }, 1)
      res.on('close', () => clearInterval(timer))
    })
    const failure = await failureOf(egressTo([port]).fetch(`http://127.0.0.1:${port}/`, { maxResponseBytes: 4096 }))
    expect([failure.code, failure.reason]).toEqual(['too_large', 'response_too_large'])
    expect(sent).toBeLessThan(1024 * 1024)
  })

  it('counts a compressed answer by what it unpacks to, and unpacks one that fits', async () => {
    const port = await serve((req, res) => {
      res.setHeader('content-encoding', 'gzip')
      res.end(gzipSync(req.url === '/bomb' ? Buffer.alloc(32 * 1024 * 1024) : 'small'))
    })
    const egress = egressTo([port])
    const request = { maxResponseBytes: 1024 * 1024 }
    expect((await failureOf(egress.fetch(`http://127.0.0.1:${port}/bomb`, request))).reason).toBe('response_too_large')
    expect((await egress.fetch(`http://127.0.0.1:${port}/`, request)).body.toString()).toBe('small')
  })

  it('times out on headers, on a stalled body and on a resolver that hangs', async () => {
    const port = await serve((req, res) => {
      if (req.url === '/body') res.write('part')
    })
    const egress = egressTo([port], () => new Promise(() => undefined))
    for (const url of [
      `http://127.0.0.1:${port}/`,
      `http://127.0.0.1:${port}/body`,
      `http://friend.example:${port}/`,
    ]) {
      const failure = await failureOf(egress.fetch(url, { timeoutMs: 60 }))
      expect([failure.code, failure.reason]).toEqual(['deadline_exceeded', 'timeout'])
    }
  })

  it('stops when the caller aborts, before and during the call', async () => {
    const port = await serve(() => undefined)
    const egress = egressTo([port])
    const before = await failureOf(egress.fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.abort() }))
    const during = await failureOf(egress.fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(30) }))
    expect([before.code, during.code]).toEqual(['cancelled', 'cancelled'])
  })

  it('names a refused connection, a reset and a broken answer as network errors', async () => {
    const port = await serve((req, res) => {
      if (req.url === '/reset') req.socket.destroy()
      else if (req.url === '/gzip') res.setHeader('content-encoding', 'gzip').end('not gzip')
      else req.socket.end('garbage\r\n\r\n')
    })
    const egress = egressTo([port, 1])
    for (const url of [
      'http://127.0.0.1:1/',
      ...['/reset', '/gzip', '/'].map((path) => `http://127.0.0.1:${port}${path}`),
    ]) {
      const failure = await failureOf(egress.fetch(url))
      expect([url, failure.code, failure.reason]).toEqual([url, 'unavailable', 'network_error'])
    }
  })

  it('refuses methods and headers that would break the request apart', async () => {
    const port = await serve((_req, res) => res.end())
    const egress = egressTo([port])
    for (const request of [
      { method: 'CONNECT' },
      { method: 'GET\r\nX: y' },
      { headers: { a: 'b\r\nc: d' } },
      { headers: { 'bad name': 'x' } },
    ]) {
      expect((await failureOf(egress.fetch(`http://127.0.0.1:${port}/`, request))).reason).toBe('request_invalid')
    }
  })
})
