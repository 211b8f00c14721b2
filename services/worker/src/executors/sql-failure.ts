import { ExecutionFailure, invalidOutput } from '../execution/execution-failure.js'
import { callFailure } from './http-failure.js'
import { TooMuchReceived } from './sql-client.js'

/** SQLSTATEs, and beginnings of them: the longest that fits decides. */
const classes: readonly [
  prefix: string,
  errorClass: 'network' | 'timeout' | 'user' | 'validation' | 'non_retryable',
][] = [
  ['57014', 'timeout'],
  ['57P', 'network'],
  ['08', 'network'],
  ['53', 'network'],
  ['28', 'non_retryable'],
  ['3D', 'non_retryable'],
  ['42501', 'non_retryable'],
  ['22', 'validation'],
  ['23', 'validation'],
  ['42', 'validation'],
  // Serialisation failures, deadlocks, locks not to be had: worth another try.
  ['40', 'user'],
  ['55', 'user'],
]

const classOf = (state: string) => classes.find(([prefix]) => state.startsWith(prefix))?.[1] ?? 'user'

/** The server's own words are the author's to see; masking takes secrets out of them. */
export function sqlFailure(error: unknown): unknown {
  if (error instanceof ExecutionFailure || !(error instanceof Error)) return error
  if (error instanceof TooMuchReceived) return invalidOutput('The query answered more than an output may hold')
  const state = (error as { code?: unknown }).code
  if (typeof state === 'string' && /^[0-9A-Z]{5}$/.test(state)) {
    const message = `${error.message} (SQLSTATE ${state})`
    return new ExecutionFailure(message, { class: classOf(state), code: 'sql_error', cause: error })
  }
  if (/does not support SSL/i.test(error.message)) return tlsRequired(error)
  const known = callFailure(error)
  if (known !== error) return known
  const timedOut = /timeout/i.test(error.message)
  const message = `The database cannot be reached: ${error.message || String(state ?? 'connection lost')}`
  return new ExecutionFailure(message, {
    class: timedOut ? 'timeout' : 'network',
    code: timedOut ? 'timeout' : 'network_error',
    cause: error,
  })
}

function tlsRequired(error: Error): ExecutionFailure {
  const message = 'The database server offers no TLS; only `sslmode=disable` in `connection` connects without it'
  return new ExecutionFailure(message, { class: 'non_retryable', code: 'tls_required', cause: error })
}
