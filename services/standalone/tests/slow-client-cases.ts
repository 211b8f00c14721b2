import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Upstreams } from './gateway-harness.js'

export interface SlowClientGateway {
  port: number
  upstreams: Upstreams
  /** How long a head may take, and how long a body that trickles. */
  headMs: number
  bodyMs: number
  stop(): Promise<void>
}

interface Outcome {
  answer: string
  /** Until the gateway closed the connection. */
  afterMs: number
}

/** How much later than its limit a gateway may notice: Node looks every two seconds. */
const lateMs = 6000
const pieceEveryMs = 100

/** Sends the first text at once and then a piece every now and then, until the gateway closes or there is no piece left. */
function trickle(port: number, first: string, pieces: Iterable<string>, patienceMs: number): Promise<Outcome> {
  const startedAt = performance.now()
  let answer = ''
  let open = true
  const socket = connect(port, '127.0.0.1', async () => {
    socket.write(first)
    for (const piece of pieces) {
      await sleep(pieceEveryMs)
      if (!open) return
      socket.write(piece)
    }
  })
  const patience = setTimeout(() => socket.destroy(new Error('the gateway does not close')), patienceMs)
  return new Promise((resolve, reject) => {
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1')
    })
    // What is sent on after the answer may be answered by a reset.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === undefined) reject(error)
    })
    socket.on('close', () => {
      open = false
      clearTimeout(patience)
      resolve({ answer, afterMs: performance.now() - startedAt })
    })
  })
}

function* times<T>(count: number, piece: T): Generator<T> {
  for (let i = 0; i < count; i++) yield piece
}

const head = 'POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\n'

/** A caller who takes its time holds a connection for a bounded one, and nothing at a service beyond it. */
export function describeSlowClients(title: string, start: () => Promise<SlowClientGateway>): void {
  describe(`slow clients: ${title}`, () => {
    let gateway: SlowClientGateway
    beforeAll(async () => {
      gateway = await start()
    }, 60_000)
    afterAll(() => gateway?.stop())
    beforeEach(() => {
      gateway.upstreams.seen.length = 0
    })

    it.each([
      ['between headers', `${head}X-A: b\r\n`],
      ['within one', `${head}X-A: `],
    ])('a head that trickles %s ends, and reaches nobody', async (_where, first) => {
      const { port, headMs, upstreams } = gateway
      const piece = first.endsWith('\r\n') ? 'X-B: c\r\n' : 'c'
      const { answer, afterMs } = await trickle(port, first, times(1000, piece), headMs + lateMs)
      expect(afterMs).toBeGreaterThan(headMs * 0.9)
      expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/)
      expect(upstreams.seen).toEqual([])
    })

    it('a head that comes in pieces within its time is served', async () => {
      const { port, headMs } = gateway
      const pieces = ['X-B: c\r\n', 'Content-Length: 2\r\n', '\r\n', '{', '}']
      expect((await trickle(port, head, pieces, headMs + lateMs)).answer).toMatch(/^HTTP\/1\.1 200 /)
    })

    it.each([
      ['of a known length', 'Content-Length: 100000\r\n\r\n', 'x'],
      ['in chunks', 'Transfer-Encoding: chunked\r\n\r\n', '1\r\nx\r\n'],
    ])('a body %s that trickles ends, at the service too', async (_how, framing, piece) => {
      const { port, bodyMs, upstreams } = gateway
      let aborted = false
      upstreams.setUpstream((req) => {
        req.on('close', () => {
          aborted = !req.complete
        })
        req.on('error', () => undefined)
        req.resume()
      })
      const { answer, afterMs } = await trickle(port, head + framing, times(1000, piece), bodyMs * 2 + lateMs)
      expect(afterMs).toBeGreaterThan(bodyMs * 0.9)
      expect(answer).toMatch(/^(HTTP\/1\.1 (408|504) |$)/)
      await expect.poll(() => upstreams.seen.length === 0 || aborted).toBe(true)
    })
  })
}
