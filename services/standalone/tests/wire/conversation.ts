import { connect } from 'node:net'
import { expect } from 'vitest'
import { call, type Upstreams } from '../gateway-harness.js'
import { FORGED, type WireCase } from './request-bytes.js'
import { expectWellFramed } from './wires.js'

export interface Conversation {
  statuses: number[]
  /** By the gateway, before the client gave up waiting. */
  closed: boolean
}

const PATIENCE_MS = 3000

/** Sends bytes as they are and reads until the gateway closes, or until it has answered as often as it was asked to. */
export function converse(port: number, { bytes, expected, cut }: WireCase): Promise<Conversation> {
  return new Promise((resolve) => {
    let text = ''
    let closed = true
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(Buffer.from(bytes, 'latin1'))
      if (cut) socket.end()
    })
    const statusesOf = () =>
      [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)).filter((status) => status >= 200)
    const giveUp = () => {
      closed = false
      socket.destroy()
    }
    const patience = setTimeout(giveUp, PATIENCE_MS)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (expected !== 'refused' && statusesOf().length >= (expected === 'safe' ? 1 : expected)) giveUp()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      clearTimeout(patience)
      resolve({ statuses: statusesOf(), closed })
    })
  })
}

let probes = 0
const isProbe = ({ url }: Upstreams['seen'][number]) => url.includes('?probe=')

/**
 * Whatever a case left on a connection to a service would be read together with the next request on it: a plain one
 * follows on each route that the cases use, and must arrive alone and unchanged.
 */
export async function expectCleanConnections(port: number, { seen }: Upstreams, name: string): Promise<void> {
  for (const path of ['/healthz', '/.well-known/jwks.json', '/api/v1/artifacts/signed/abc']) {
    const url = `${path}?probe=${++probes}`
    const answer = await call(port, 'GET', url)
    const arrived = seen.filter((each) => each.url === url).map(({ method }) => method)
    expect([name, answer.status, arrived]).toEqual([name, 200, ['GET']])
  }
}

/** Holds of every case, behind every gateway. */
export function expectNothingSmuggled({ name, expected, requests }: WireCase, upstreams: Upstreams): void {
  expectWellFramed(upstreams, name)
  const seen = upstreams.seen.filter((each) => !isProbe(each))
  const shown = JSON.stringify(upstreams.seen.map(({ url, headers }) => [url, headers]))
  expect([name, shown.includes(FORGED), shown.includes('/api/v1/runs/smuggled')]).toEqual([name, false, false])
  const most = typeof expected === 'number' ? expected : (requests ?? 1)
  expect([name, seen.length <= most, seen]).toEqual([name, true, seen])
  for (const { headers } of seen) {
    const framings = [headers['content-length'], headers['transfer-encoding']].filter((value) => value !== undefined)
    expect([name, framings.length <= 1]).toEqual([name, true])
    const named = headers['x-millrace-identity']
    expect([name, named === undefined || named === 'signed-by-iam']).toEqual([name, true])
  }
}
