import { request } from 'node:http'
import { connect } from 'node:net'
import { currentTraceparent, startTelemetry } from '@millrace/telemetry'
import { waitFor } from '@millrace/testkit'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpServer, type RouteHandler } from '../src/index.js'
import { type Harness, type HarnessOptions, identify, startHarness, testRoute } from './harness.js'

let harness: Harness | undefined

async function start(options: HarnessOptions): Promise<Harness> {
  harness = await startHarness(options)
  return harness
}
afterEach(() => harness?.server.stop())

const sse: { operationId: string; path: string; stream: 'sse' } = {
  operationId: 'watch',
  path: '/watch',
  stream: 'sse',
}

function watching(events: string[]): RouteHandler {
  return ({ signal }) =>
    Promise.resolve({
      stream: async (res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' })
        res.write('data: first\n\n')
        events.push('open')
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        events.push('ended')
        res.write('data: bye\n\n')
      },
    })
}

describe('stopping', () => {
  it('ends live streams properly, at once', async () => {
    const events: string[] = []
    const { server, call } = await start({ routes: [testRoute(sse)], handlers: { watch: watching(events) } })
    const answer = call('GET', '/watch')
    await waitFor(() => events.includes('open'))
    const before = Date.now()
    await server.stop()
    expect((await answer).text).toBe('data: first\n\ndata: bye\n\n')
    expect(Date.now() - before).toBeLessThan(2000)
  })

  it('lets requests in flight finish, and takes no new ones', async () => {
    let finish: (() => void) | undefined
    const { server, call } = await start({
      routes: [testRoute({ operationId: 'slow', path: '/slow' })],
      handlers: {
        slow: ({ signal }) =>
          new Promise((resolve) => {
            finish = () => resolve({ status: 200, body: { aborted: signal.aborted } })
          }),
      },
    })
    const answer = call('GET', '/slow')
    await waitFor(() => finish !== undefined)
    const stopped = server.stop()
    await expect(call('GET', '/slow')).rejects.toThrow(/ECONNREFUSED/)
    finish?.()
    expect((await answer).json).toEqual({ aborted: false })
    await stopped
  })

  it('waits no longer than it was told', async () => {
    let asked = false
    const { server, call } = await start({
      drainMs: 200,
      routes: [testRoute({ operationId: 'hang', path: '/hang' })],
      handlers: {
        hang: () => {
          asked = true
          return new Promise(() => undefined)
        },
      },
    })
    const answer = call('GET', '/hang').catch((error: Error) => error.message)
    await waitFor(() => asked)
    await server.stop()
    expect(await answer).toMatch(/hang up|ECONNRESET/)
  })

  it('closes idle connections that clients keep', async () => {
    const { server, port } = await start({ routes: [], handlers: {} })
    await fetch(`http://127.0.0.1:${port}/healthz`).then((res) => res.text())
    const before = Date.now()
    await server.stop()
    await server.stop()
    expect(Date.now() - before).toBeLessThan(2000)
  })
})

describe('stopping with connections that ask for nothing', () => {
  async function open(port: number, sent: string) {
    const socket = connect(port, '127.0.0.1')
    const end = new Promise<void>((resolve) => socket.on('error', () => undefined).once('close', () => resolve()))
    await new Promise<void>((resolve) => socket.once('connect', resolve))
    socket.resume().write(sent)
    return { socket, end }
  }

  it.each([
    ['never sent a byte', ''],
    ['stopped in the middle of its first request', 'GET /healthz HTTP/1.1\r\nhost: x\r\n'],
    ['stopped in the middle of its second request', 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\nGET /hea'],
  ])('does not wait for one that %s', async (_case, sent) => {
    const { server, port, call } = await start({ routes: [], handlers: {} })
    const { end } = await open(port, sent)
    // By now the server has taken the first connection too.
    await call('GET', '/healthz')
    const before = Date.now()
    await server.stop()
    await end
    expect(Date.now() - before).toBeLessThan(2000)
  })

  it('still answers a request whose head is on its way', async () => {
    const { server, port, call } = await start({ routes: [], handlers: {} })
    const { socket, end } = await open(port, 'GET /healthz HTTP/1.1\r\n')
    let answer = ''
    socket.on('data', (chunk) => {
      answer += String(chunk)
    })
    await call('GET', '/healthz')
    const stopped = server.stop()
    socket.write('host: x\r\n\r\n')
    await Promise.all([stopped, end])
    expect(answer).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('a caller who goes away', () => {
  it('aborts the signal', async () => {
    const events: string[] = []
    const { port, authority } = await start({ routes: [testRoute(sse)], handlers: { watch: watching(events) } })
    const headers = identify(authority, 'GET', '/watch')
    const req = request({ port, host: '127.0.0.1', path: '/watch', headers })
    req.on('error', () => undefined)
    req.end()
    await waitFor(() => events.includes('open'))
    req.destroy()
    await waitFor(() => events.includes('ended'))
  })

  it('harms nobody by a stream that writes on', async () => {
    let writes = 0
    const { port, authority, call } = await start({
      routes: [testRoute(sse)],
      handlers: {
        watch: () =>
          Promise.resolve({
            stream: async (res) => {
              for (writes = 0; writes < 60; writes++) {
                res.write('x'.repeat(100_000))
                await new Promise((resolve) => setTimeout(resolve, 5))
              }
            },
          }),
      },
    })
    const headers = identify(authority, 'GET', '/watch')
    const req = request({ port, host: '127.0.0.1', path: '/watch', headers })
    req.on('error', () => undefined)
    req.end()
    await waitFor(() => writes > 5)
    req.destroy()
    await waitFor(() => writes === 60)
    expect((await call('GET', '/healthz')).status).toBe(200)
  })
})

describe('an extension', () => {
  it('that fails gives a problem, never a stack trace', async () => {
    const extend: HarnessOptions['extend'] = (app) => {
      app.get('/broken', () => {
        throw new Error('at /srv/secret.ts')
      })
      app.get('/odd/:name', (_req, res) => {
        res.end('ok')
      })
    }
    const { call } = await start({ routes: [], handlers: {}, extend })
    const broken = await call('GET', '/broken')
    expect(broken.json).toMatchObject({ status: 500, code: 'internal' })
    expect(broken.text).not.toMatch(/secret|stack/)
    const odd = await call('GET', '/odd/%zz')
    expect(odd.json).toMatchObject({ status: 400 })
    expect((await call('GET', '/odd/fine')).text).toBe('ok')
  })
})

describe('HEAD', () => {
  it('answers with the headers alone', async () => {
    const { call } = await start({
      routes: [testRoute({ operationId: 'get', path: '/thing' }), testRoute(sse)],
      handlers: { get: () => Promise.resolve({ status: 200, body: { a: 1 } }), watch: watching([]) },
    })
    const answer = await call('HEAD', '/thing')
    expect([answer.status, answer.text, answer.headers['content-length']]).toEqual([200, '', '7'])
    const stream = await call('HEAD', '/watch')
    expect([stream.status, stream.text, stream.headers['content-type']]).toEqual([200, '', 'text/event-stream'])
    const missing = await call('HEAD', '/nowhere')
    expect([missing.status, missing.text]).toEqual([404, ''])
  })
})

describe('operations', () => {
  it('tell health, readiness and metrics without an identity', async () => {
    let up = true
    const readiness = () => {
      if (!up) return Promise.reject(new Error('down'))
      return Promise.resolve({ ok: true, dependencies: { postgres: 'up' as const } })
    }
    const { call } = await start({ routes: [], handlers: {}, readiness })
    expect((await call('GET', '/healthz', { as: null })).json).toEqual({ status: 'ok' })
    expect((await call('GET', '/readyz', { as: null })).json).toEqual({
      status: 'ready',
      dependencies: { postgres: 'up' },
    })
    up = false
    expect((await call('GET', '/readyz', { as: null })).status).toBe(503)
    expect((await call('POST', '/healthz', { as: null })).status).toBe(405)
    const metrics = await call('GET', '/metrics', { as: null })
    expect(metrics.text).toContain('http_server_request_duration_seconds_count{service="workflow",operation="healthz"')
  })

  it('hide metrics from whoever came through the gateway', async () => {
    const { call } = await start({ routes: [], handlers: {} })
    const reply = await call('GET', '/metrics')
    expect(reply.status).toBe(404)
    expect(reply.text).not.toContain('# HELP')
  })
})

describe('traces and addresses', () => {
  it('continue the trace of the caller, and take the address that the gateway saw', async () => {
    startTelemetry({ serviceName: 'test' })
    const { call } = await start({
      routes: [testRoute({ operationId: 'trace', path: '/trace' })],
      handlers: {
        trace: ({ ip }) => Promise.resolve({ status: 200, body: { ip, traceparent: currentTraceparent() } }),
      },
    })
    const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
    const headers = { traceparent: `00-${trace}-00f067aa0ba902b7-01`, 'x-forwarded-for': '6.6.6.6, 10.1.2.3' }
    const { json } = await call('GET', '/trace', { headers })
    expect(json.traceparent).toContain(trace)
    expect(json.ip).toBe('10.1.2.3')
    const odd = await call('GET', '/trace', { headers: { traceparent: 'nonsense', 'x-forwarded-for': 'evil\\"' } })
    expect(odd.json.traceparent).toMatch(/^00-[0-9a-f]{32}-/)
    expect(odd.json.ip).toBe('127.0.0.1')
  })
})

describe('a table and its handlers', () => {
  it('must fit each other', () => {
    const options = { service: 'workflow', verifier: {} as never, logger: {} as never, readiness: {} as never } as const
    const routes = [testRoute({ operationId: 'a', path: '/a' })]
    expect(() => createHttpServer({ ...options, routes, handlers: {} })).toThrow(/without a handler: a/)
    const handler = () => Promise.resolve({ status: 200 })
    expect(() => createHttpServer({ ...options, routes, handlers: { a: handler, b: handler } })).toThrow(
      /without a route: b/,
    )
  })
})
