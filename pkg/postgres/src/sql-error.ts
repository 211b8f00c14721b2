const connectionCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT', // the unix socket is gone while the server restarts
])

const retryableStates: ReadonlySet<string> = new Set([
  '40001', // serialization_failure
  '40P01', // deadlock_detected
  '55P03', // lock_not_available
  '57014', // query_canceled: statement_timeout
  '57P01', // admin_shutdown
  '57P02', // crash_shutdown
  '57P03', // cannot_connect_now
  '57P05', // idle_session_timeout
  '25P03', // idle_in_transaction_session_timeout
  '25P04', // transaction_timeout
])

/** Insufficient resources (disk, memory, connections) and connection exceptions, whatever their detail. */
const retryableClasses: ReadonlySet<string> = new Set(['08', '53'])

// node-postgres raises these without a code.
const connectionMessages =
  /^(Connection terminated|Client has encountered a connection error|Client was closed|timeout exceeded when trying to connect|Query read timeout)/

/** SQLSTATE of a server error, looked for along the chain of causes. */
export function sqlState(error: unknown): string | undefined {
  const code = codeOf(error)
  if (code !== undefined && /^[0-9A-Z]{5}$/.test(code) && !connectionCodes.has(code)) return code
  return causeOf(error) === undefined ? undefined : sqlState(causeOf(error))
}

/** The same work may succeed if it is run again: contention, a lost connection, a server short of something. */
export function retryable(error: unknown): boolean {
  const code = codeOf(error)
  if (code !== undefined) {
    if (connectionCodes.has(code) || retryableStates.has(code)) return true
    if (/^[0-9A-Z]{5}$/.test(code) && retryableClasses.has(code.slice(0, 2))) return true
  }
  if (error instanceof Error && connectionMessages.test(error.message)) return true
  return causeOf(error) === undefined ? false : retryable(causeOf(error))
}

export function isUniqueViolation(error: unknown, constraint?: string): boolean {
  if (sqlState(error) !== '23505') return false
  return constraint === undefined || constraintOf(error) === constraint
}

/** The data itself was refused (SQLSTATE 22, 23, 54): running it again cannot help. */
export function isDataError(error: unknown): boolean {
  const state = sqlState(error)
  return state !== undefined && ['22', '23', '54'].includes(state.slice(0, 2))
}

function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? (error.cause ?? undefined) : undefined
}

function constraintOf(error: unknown): string | undefined {
  if (typeof error === 'object' && error !== null && 'constraint' in error) return String(error.constraint)
  return causeOf(error) === undefined ? undefined : constraintOf(causeOf(error))
}
