import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { byToken, call, configFile, echo, type GatewayHarness, startGateway } from './gateway-harness.js'

const MIB = 1024 * 1024
let harness: GatewayHarness

beforeAll(async () => {
  harness = await startGateway()
})
afterAll(() => harness.stop())
beforeEach(() => {
  harness.setUpstream(echo)
  harness.setCheck(byToken)
  harness.seen.length = 0
})

interface OpenAnswer {
  res: IncomingMessage
  text: () => string
  destroy: () => void
}

async function open(port: number, path: string): Promise<OpenAnswer> {
  const req = request({ host: '127.0.0.1', port, path, headers: { authorization: 'Bearer good' }, agent: false })
  req.on('error', () => undefined)
  req.end()
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  let text = ''
  res.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  res.on('error', () => undefined)
  return { res, text: () => text, destroy: () => req.destroy() }
}

describe('a body', () => {
  const post = (size: number, headers: Record<string, string> = {}) =>
    call(harness.port, 'POST', '/api/v1/workflows', { token: 'good', body: Buffer.alloc(size), headers })

  it('of the largest size passes', async () => {
    expect((await post(8 * MIB)).json).toEqual({ bytes: 8 * MIB })
  })

  it('over it is refused by its announced length, without a word to the service', async () => {
    const answer = await post(8 * MIB + 1)
    expect(answer.json).toMatchObject({ status: 413, code: 'body_too_large' })
    expect(harness.seen).toEqual([])
  })

  it('over it is refused as it is counted', async () => {
    const answer = await post(9 * MIB, { 'transfer-encoding': 'chunked' })
    expect(answer.json).toMatchObject({ status: 413, code: 'body_too_large' })
  })

  it('without an identity is refused before it is sent on', async () => {
    const answer = await call(harness.port, 'POST', '/api/v1/workflows', { body: Buffer.alloc(8 * MIB) })
    expect(answer.status).toBe(401)
    expect(harness.seen).toEqual([])
  })

  it('of an upload may be larger', async () => {
    const answer = await call(harness.port, 'PUT', '/api/v1/artifacts/x/content', {
      token: 'good',
      body: Buffer.alloc(20 * MIB),
    })
    expect(answer.json).toEqual({ bytes: 20 * MIB })
  })

  it('waits for 100 Continue until the caller is known', async () => {
    const interim: string[] = []
    const send = async (token: string) => {
      const headers = { authorization: `Bearer ${token}`, expect: '100-continue', 'content-length': '4' }
      const req = request({
        host: '127.0.0.1',
        port: harness.port,
        method: 'POST',
        path: '/api/v1/workflows',
        headers,
        agent: false,
      })
      req.on('continue', () => {
        interim.push(token)
        req.end('body')
      })
      req.flushHeaders()
      const [res] = (await once(req, 'response')) as [IncomingMessage]
      res.resume()
      req.destroy()
      return res.statusCode
    }
    expect(await send('bad')).toBe(401)
    expect(await send('good')).toBe(200)
    expect(interim).toEqual(['good'])
  })

  it('is held back while the service does not read', async () => {
    let received = 0
    let resume: (() => void) | undefined
    harness.setUpstream((req, res) => {
      req.pause()
      resume = () => {
        req.on('data', (chunk: Buffer) => {
          received += chunk.byteLength
        })
        req.on('end', () => res.end('done'))
        req.resume()
      }
    })
    const total = 64 * MIB
    const req = request({
      host: '127.0.0.1',
      port: harness.port,
      method: 'PUT',
      path: '/api/v1/artifacts/x/content',
      headers: { authorization: 'Bearer good', 'content-length': String(total) },
      agent: false,
    })
    const answer = once(req, 'response') as Promise<[IncomingMessage]>
    let sent = 0
    const chunk = Buffer.alloc(MIB)
    let blocked = false
    while (sent < total && !blocked) {
      sent += chunk.byteLength
      if (req.write(chunk)) continue
      const drained = await Promise.race([
        once(req, 'drain').then(() => true),
        new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 500)),
      ])
      blocked = !drained
    }
    expect(sent).toBeLessThan(total)
    await waitFor(() => resume !== undefined)
    resume?.()
    while (sent < total) {
      sent += chunk.byteLength
      if (!req.write(chunk)) await once(req, 'drain')
    }
    req.end()
    const [res] = await answer
    res.resume()
    await once(res, 'end')
    expect(received).toBe(total)
  })
})

describe('an event stream', () => {
  it('passes event by event, headers first', async () => {
    let write: ((text: string) => void) | undefined
    let end: (() => void) | undefined
    harness.setUpstream((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.flushHeaders()
      write = (text) => res.write(text)
      end = () => res.end()
    })
    const stream = await open(harness.port, '/api/v1/runs/1/events')
    expect(stream.res.headers['content-type']).toBe('text/event-stream')
    write?.('data: 1\n\n')
    await waitFor(() => stream.text() === 'data: 1\n\n')
    write?.('data: 2\n\n')
    await waitFor(() => stream.text() === 'data: 1\n\ndata: 2\n\n')
    end?.()
    await waitFor(() => stream.res.complete)
  })

  it('takes the service along when the caller leaves', async () => {
    let left = false
    harness.setUpstream((req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.write('data: 1\n\n')
      req.on('close', () => {
        left = true
      })
    })
    const stream = await open(harness.port, '/api/v1/runs/1/events')
    stream.destroy()
    await waitFor(() => left)
  })

  it('is cut, not ended, when the service breaks off', async () => {
    harness.setUpstream((_req, res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' })
      res.write('data: 1\n\n')
      setTimeout(() => res.destroy(), 50)
    })
    const stream = await open(harness.port, '/api/v1/runs/1/events')
    await waitFor(() => stream.res.destroyed)
    expect(stream.res.complete).toBe(false)
  })
})

describe('a caller who leaves', () => {
  it('while iam thinks: nothing reaches the service', async () => {
    let asked = false
    harness.setCheck(async (check) => {
      asked = true
      await new Promise((resolve) => setTimeout(resolve, 200))
      return byToken(check)
    })
    const req = request({
      host: '127.0.0.1',
      port: harness.port,
      path: '/api/v1/runs',
      headers: { authorization: 'Bearer good' },
      agent: false,
    })
    req.on('error', () => undefined)
    req.end()
    await waitFor(() => asked)
    req.destroy()
    await new Promise((resolve) => setTimeout(resolve, 400))
    expect(harness.seen).toEqual([])
  })

  it('in the middle of an upload aborts it at the service', async () => {
    let outcome = ''
    harness.setUpstream((req) => {
      req.on('data', () => undefined)
      req.on('end', () => {
        outcome = 'complete'
      })
      req.on('close', () => {
        outcome ||= 'aborted'
      })
      req.on('error', () => undefined)
    })
    const socket = connect(harness.port, '127.0.0.1')
    socket.write(
      'PUT /api/v1/artifacts/x/content HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\nContent-Length: 1000\r\n\r\nhalf',
    )
    await waitFor(() => harness.seen.length === 1)
    socket.destroy()
    await waitFor(() => outcome === 'aborted')
  })
})

describe('a service that is down', () => {
  it('gives 503, and the next request finds it again', async () => {
    const alone = await startGateway({ metadata: '127.0.0.1:1' })
    try {
      const answer = await call(alone.port, 'GET', '/api/v1/jobs', { token: 'good' })
      expect(answer.json).toMatchObject({ status: 503, code: 'upstream_unavailable' })
      expect((await call(alone.port, 'GET', '/api/v1/runs', { token: 'good' })).status).toBe(200)
    } finally {
      await alone.stop()
    }
  })

  it('and hangs up without an answer gives 503', async () => {
    harness.setUpstream((req) => req.socket.destroy())
    for (const method of ['GET', 'POST']) {
      const answer = await call(harness.port, method, '/api/v1/workflows', {
        token: 'good',
        ...(method === 'POST' ? { body: '{}' } : {}),
      })
      expect(answer.status).toBe(503)
    }
  })

  it('and closes a kept connection under a request is asked once more, but only for reading', async () => {
    let served = 0
    harness.setUpstream((req, res) => {
      served++
      if (served === 1 || req.socket.bytesWritten === 0) res.end('ok')
      else req.socket.destroy()
    })
    const read = () => call(harness.port, 'GET', '/api/v1/stats', { token: 'good' })
    expect((await read()).status).toBe(200)
    expect((await read()).status).toBe(200)
    expect(served).toBe(3)
  })

  it('and answers with garbage gives 503', async () => {
    harness.setUpstream((req) => req.socket.end('this is no HTTP\r\n\r\n'))
    expect((await call(harness.port, 'GET', '/healthz')).status).toBe(503)
  })
})

describe('a service that does not answer', () => {
  it('gives 504 after the time of its route, while streams may take theirs', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'millrace-gateway-'))
    const file = join(directory, 'envoy.yaml')
    await writeFile(file, (await readFile(configFile, 'utf8')).replaceAll('timeout: 60s', 'timeout: 0.5s'))
    const hasty = await startGateway({}, 200, file)
    try {
      let aborted = false
      hasty.setUpstream((req, res) => {
        if (req.url?.endsWith('/events')) setTimeout(() => res.end('late'), 1000)
        else
          res.on('close', () => {
            aborted = true
          })
      })
      const [slow, stream] = await Promise.all([
        call(hasty.port, 'GET', '/api/v1/runs', { token: 'good' }),
        call(hasty.port, 'GET', '/api/v1/runs/1/events', { token: 'good' }),
      ])
      expect(slow.json).toMatchObject({ status: 504, code: 'upstream_timeout' })
      expect(stream.text).toBe('late')
      await waitFor(() => aborted)
    } finally {
      await hasty.stop()
      await rm(directory, { recursive: true })
    }
  })

  it('leaves no listeners behind on a connection that serves many streams', async () => {
    harness.setUpstream((_req, res) => res.end('x'))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const warnings: string[] = []
    const onWarning = (warning: Error) => warnings.push(warning.name)
    process.on('warning', onWarning)
    for (let at = 0; at < 30; at++) {
      const path = '/api/v1/runs/1/logs'
      const req = request({
        host: '127.0.0.1',
        port: harness.port,
        path,
        headers: { authorization: 'Bearer good' },
        agent,
      })
      req.end()
      const [res] = (await once(req, 'response')) as [IncomingMessage]
      res.resume()
      await once(res, 'end')
    }
    process.off('warning', onWarning)
    agent.destroy()
    expect(warnings).toEqual([])
  })
})

describe('stopping', () => {
  let own: GatewayHarness | undefined
  afterEach(() => own?.stop())

  it('lets requests finish, ends streams properly, takes nothing new', async () => {
    own = await startGateway()
    let finish: (() => void) | undefined
    own.setUpstream((req, res) => {
      if (req.url?.endsWith('/events')) {
        res.writeHead(200, { 'content-type': 'text/event-stream' })
        res.write('data: 1\n\n')
      } else finish = () => res.end('finished')
    })
    const stream = await open(own.port, '/api/v1/runs/1/events')
    const slow = call(own.port, 'GET', '/api/v1/runs', { token: 'good' })
    await waitFor(() => finish !== undefined)
    const { port } = own
    const stopped = own.gateway.stop()
    await waitFor(() => stream.res.complete)
    expect(stream.text()).toBe('data: 1\n\n')
    await expect(call(port, 'GET', '/healthz')).rejects.toThrow(/ECONNREFUSED/)
    finish?.()
    expect((await slow).text).toBe('finished')
    await stopped
  })

  it('waits no longer than it was told', async () => {
    own = await startGateway({}, 200)
    own.setUpstream(() => undefined)
    const hanging = call(own.port, 'GET', '/api/v1/runs', { token: 'good' }).catch((error: Error) => error.message)
    const { seen } = own
    await waitFor(() => seen.length === 1)
    const before = Date.now()
    await own.gateway.stop()
    expect(Date.now() - before).toBeLessThan(1500)
    expect(await hanging).toMatch(/hang up|ECONNRESET/)
  })

  it('leaves nothing behind when a port is taken', async () => {
    const { createGateway } = await import('../src/gateway/create-gateway.js')
    const { testLogger } = await import('@millrace/testkit')
    const gateway = createGateway({
      configFile,
      http: { host: '127.0.0.1', port: 0 },
      grpc: { host: '127.0.0.1', port: harness.port },
      clusters: {},
      logger: testLogger,
    })
    await expect(gateway.start()).rejects.toThrow(/EADDRINUSE/)
    expect(() => gateway.httpPort).toThrow(/not listening/)
  })
})
