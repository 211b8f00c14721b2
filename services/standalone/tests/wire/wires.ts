import type { IncomingMessage, Server } from 'node:http'
import { expect } from 'vitest'
import type { Upstreams } from '../gateway-harness.js'
import { WireReader } from './wire-reader.js'

/** One connection to a service. */
export interface Wire {
  readonly cluster: string
  readonly reader: WireReader
  /** How many requests the service's own parser saw in the same bytes. */
  served: number
  /** What that parser refused. */
  errors: { code: string; withinRequest: boolean }[]
}

export function recordWires(server: Server, cluster: string, wires: Wire[]): void {
  const wireOf = new WeakMap<object, Wire>()
  server.on('connection', (socket) => {
    const wire: Wire = { cluster, reader: new WireReader(), served: 0, errors: [] }
    wires.push(wire)
    wireOf.set(socket, wire)
    socket.on('data', (chunk: Buffer) => wire.reader.push(chunk))
  })
  const count = ({ socket }: IncomingMessage) => {
    const wire = wireOf.get(socket)
    if (wire) wire.served += 1
  }
  server.on('request', count)
  // Read like any other, and answered as Node does where nobody listens.
  server.on('checkExpectation', (req, res) => {
    count(req)
    res.writeHead(417).end()
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const wire = wireOf.get(socket)
    wire?.errors.push({ code: error.code ?? error.message, withinRequest: wire.reader.isWithinRequest })
    socket.destroy()
  })
}

/** Every byte that reached a service belongs to a request that two readers see alike. */
export function expectWellFramed({ wires }: Pick<Upstreams, 'wires'>, name: string): void {
  const odd = wires.filter(
    ({ reader, served, errors }) =>
      reader.fault !== undefined || reader.requests.length !== served || errors.some(isRefusal),
  )
  // Told once: what comes after it on another connection may be sound.
  for (const wire of odd) wires.splice(wires.indexOf(wire), 1)
  const told = odd.map(({ cluster, reader: { fault, requests }, served, errors }) => {
    return { cluster, fault, errors, served, lines: requests.map(({ line }) => line) }
  })
  expect([name, told]).toEqual([name, []])
}

/** A gateway that gives up a request closes its connection, in its middle or after it: no byte of another one follows. */
const isRefusal = ({ code, withinRequest }: Wire['errors'][number]): boolean =>
  code !== 'ECONNRESET' && !(code === 'HPE_INVALID_EOF_STATE' && withinRequest)
