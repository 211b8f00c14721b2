import { connect, isIP, type Socket } from 'node:net'
import type { ResolvedAddress } from '@millrace/egress'
import pg from 'pg'
import { effectiveTls, type SqlConnection } from './sql-connection.js'
import { sqlTypes } from './sql-values.js'

/** More than any answer within the bounds of an output can need: a single huge value must not fill the memory. */
const maxReceivedBytes = 48 * 1024 * 1024
const connectTimeoutMs = 10_000

export class TooMuchReceived extends Error {
  constructor() {
    super('the server sent too much')
  }
}

/** Connects to the address that was checked; the name only serves to verify the certificate. */
export async function openClient(
  connection: SqlConnection,
  { address }: ResolvedAddress,
  timeoutMs: number,
): Promise<pg.Client> {
  const { host, port, user, password, database } = connection
  const tls = effectiveTls(connection.tls, address)
  const client = new pg.Client({
    ...{ host: address, port, user, database, types: sqlTypes },
    // A function, since the driver would look elsewhere for an empty one.
    password: () => password,
    ssl:
      tls === 'off' ? false : { rejectUnauthorized: tls === 'verified', ...(isIP(host) ? {} : { servername: host }) },
    application_name: 'millrace',
    options: '-c client_min_messages=warning',
    connectionTimeoutMillis: Math.min(connectTimeoutMs, timeoutMs),
    statement_timeout: timeoutMs,
  })
  // Unheard, a lost connection would end the process; the query under way rejects by itself.
  client.on('error', () => undefined)
  await client.connect()
  boundReceived(client)
  return client
}

interface Inside {
  connection: { stream: Socket }
  processID: number
  secretKey: number
}

function boundReceived(client: pg.Client): void {
  const { stream } = (client as unknown as Inside).connection
  let received = 0
  stream.on('data', (chunk: Buffer) => {
    received += chunk.length
    if (received > maxReceivedBytes) stream.destroy(new TooMuchReceived())
  })
}

/** Asks the server to stop the statement, which it would otherwise finish for nobody, and lets go. */
export function abandon(client: pg.Client, { address }: ResolvedAddress, port: number): void {
  const { connection, processID, secretKey } = client as unknown as Inside
  const request = Buffer.alloc(16)
  request.writeInt32BE(16, 0)
  request.writeInt32BE(80_877_102, 4)
  request.writeInt32BE(processID, 8)
  request.writeInt32BE(secretKey, 12)
  const socket = connect({ host: address, port, timeout: 5_000 }, () => socket.end(request))
  socket.on('error', () => undefined)
  socket.on('timeout', () => socket.destroy())
  socket.on('close', () => connection.stream.destroy())
}
