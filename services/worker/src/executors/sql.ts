import type { Egress, ResolvedAddress } from '@millrace/egress'
import pg from 'pg'
import { ExecutionFailure, invalidInput, invalidOutput } from '../execution/execution-failure.js'
import { maxOutputBytes } from '../execution/output.js'
import type { ExecutionContext, Executor } from './executor.js'
import { field, type InputObject, inputObject, requiredString } from './input.js'
import type { Outgoing } from './outgoing.js'
import { abandon, openClient } from './sql-client.js'
import { readConnection, type SqlConnection } from './sql-connection.js'
import { sqlFailure } from './sql-failure.js'
import { timeLimitMs } from './time-limit.js'

const maxRows = 10_000

interface Answer {
  rows: unknown[]
  rowCount: number
}

/** One statement on a PostgreSQL of the author's, on a connection of its own. */
export function createSqlExecutor({ egress, circuits }: Outgoing): Executor {
  return {
    uses: 'sql',
    async execute(ctx) {
      const input = inputObject(ctx.input)
      const connection = readConnection(requiredString(input, 'connection'))
      if (connection.password !== '') ctx.mask(connection.password)
      const statement = { query: requiredString(input, 'query'), params: readParams(input) }
      const answer = await circuits.call(ctx, connection, async () => {
        try {
          return await runOn(egress, connection, statement, ctx)
        } catch (error) {
          throw sqlFailure(error)
        }
      })
      ctx.log('info', 'system', `${answer.rowCount} rows`)
      return answer
    },
  }
}

function readParams(input: InputObject): unknown[] {
  const params = field(input, 'params') ?? []
  if (Array.isArray(params)) return params
  throw invalidInput('`params` must be a list: $1 in the query is its first')
}

async function runOn(
  egress: Egress,
  connection: SqlConnection,
  statement: { query: string; params: unknown[] },
  ctx: ExecutionContext,
): Promise<Answer> {
  const [address] = await egress.addresses(connection.host, connection.port)
  if (!address) throw invalidInput('`connection` must name a host')
  ctx.signal.throwIfAborted()
  const limitMs = timeLimitMs(ctx)
  const client = await openClient(connection, address, limitMs)
  try {
    return await untilStopped(
      client,
      address,
      connection.port,
      AbortSignal.any([ctx.signal, AbortSignal.timeout(limitMs)]),
      () => readAll(client, statement),
    )
  } finally {
    void client.end().catch(() => undefined)
  }
}

/** An attempt that is stopped or has read too much must not leave its statement running. */
async function untilStopped(
  client: pg.Client,
  address: ResolvedAddress,
  port: number,
  signal: AbortSignal,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const stop = () => abandon(client, address, port)
  signal.addEventListener('abort', stop, { once: true })
  try {
    signal.throwIfAborted()
    return await work()
  } catch (error) {
    if (error instanceof ExecutionFailure) stop()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Rows are taken as they come and the connection is cut at the bounds: nothing is kept that cannot be answered. */
function readAll(client: pg.Client, statement: { query: string; params: unknown[] }): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const rows: unknown[] = []
    let bytes = 0
    // Prepared, also without parameters: one statement, whatever a value that was written into the text contains.
    const config = { text: statement.query, values: statement.params, queryMode: 'extended' }
    const query = client.query(new pg.Query(config))
    query.on('row', (row) => {
      rows.push(row)
      bytes += Buffer.byteLength(JSON.stringify(row))
      if (rows.length > maxRows) reject(invalidOutput(`The query answered more than ${maxRows} rows`))
      else if (bytes > maxOutputBytes) reject(invalidOutput(`The query answered more than ${maxOutputBytes} bytes`))
    })
    query.on('end', (result) => resolve({ rows, rowCount: result.rowCount ?? rows.length }))
    query.on('error', reject)
  })
}
