import pg from 'pg'

export type Pool = pg.Pool
/** A client inside a transaction, or any client that runs queries one after another. */
export type Tx = pg.PoolClient
/** What read-only helpers take: a pool or a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>

export interface PoolOptions {
  connectionString: string
  schema: string
  /** Where tables are looked for that the schema does not have. */
  alsoIn?: string
  max?: number
  applicationName?: string
  statementTimeoutMs?: number
  /** Bounds how long a forgotten transaction can hold back vacuum and the log readers' gap rule. */
  transactionTimeoutMs?: number
  idleInTransactionTimeoutMs?: number
  connectionTimeoutMs?: number
  /** Further settings of each session, such as `synchronous_commit`. */
  settings?: Record<string, string>
  /** Told of connections lost while idle; the pool replaces them by itself. */
  onError?: (error: Error) => void
}

const INT8 = 20
const INT8_ARRAY = 1016

// The types know only the scalar oids; the parser of the array is there all the same.
const parseInt8Array = pg.types.getTypeParser(INT8_ARRAY as typeof INT8) as unknown as (
  text: string,
) => (string | null)[]

/** int8 becomes a number: every counter and id of ours stays far below 2^53. */
const typeParsers: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    if (format !== 'binary') {
      if (oid === INT8) return Number
      if (oid === INT8_ARRAY) {
        return (text: string) => parseInt8Array(text).map((item) => (item === null ? null : Number(item)))
      }
    }
    return pg.types.getTypeParser(oid, format ?? 'text')
  }) as typeof pg.types.getTypeParser,
}

export function assertSchemaName(schema: string): string {
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) throw new TypeError(`not a schema name: ${schema}`)
  return schema
}

/** Settings travel in the startup packet, so a new connection costs no further round trip. */
function startupOptions(options: PoolOptions): string {
  const settings: Record<string, string | number> = {
    search_path: [options.schema, ...(options.alsoIn ? [options.alsoIn] : [])].map(assertSchemaName).join(','),
    transaction_timeout: options.transactionTimeoutMs ?? 30_000,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs ?? 10_000,
    ...(options.statementTimeoutMs === undefined ? {} : { statement_timeout: options.statementTimeoutMs }),
    ...options.settings,
  }
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')
}

export function createPool(options: PoolOptions): Pool {
  const pool = new pg.Pool({
    connectionString: options.connectionString,
    max: options.max ?? 10,
    application_name: options.applicationName ?? `millrace-${options.schema}`,
    options: startupOptions(options),
    connectionTimeoutMillis: options.connectionTimeoutMs ?? 10_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    types: typeParsers,
  })
  const report = options.onError ?? (() => undefined)
  pool.on('error', report)
  // A connection that dies while checked out emits on the client alone; unheard, that ends the process.
  // The query in flight rejects by itself, so nothing is lost by only listening.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

export async function pingPool(pool: Pool): Promise<boolean> {
  try {
    await pool.query('select 1')
    return true
  } catch {
    return false
  }
}
