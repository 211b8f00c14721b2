import { AppError, cancelled, deadlineExceeded, unavailable, unprocessable } from '@millrace/errors'

const invalidRequestCodes: ReadonlySet<string> = new Set(['UND_ERR_INVALID_ARG', 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH'])
const timeoutCodes: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
  'ETIMEDOUT',
])

/** One reading of everything a call may throw: `egress_denied`, `timeout`, `cancelled`, `network_error`, … */
export function toEgressError(error: unknown, timeout: AbortSignal, caller: AbortSignal | undefined): AppError {
  if (error instanceof AppError) return error
  if (caller?.aborted) return cancelled('cancelled', 'The call was cancelled', error)
  if (timeout.aborted) return deadlineExceeded('timeout', 'The call took longer than its time limit', error)
  const code = codeOf(error)
  if (timeoutCodes.has(code)) return deadlineExceeded('timeout', 'The peer did not answer in time', error)
  if (invalidRequestCodes.has(code))
    return unprocessable('request_invalid', 'The request has a malformed header or body')
  return unavailable('network_error', code ? `The call failed: ${code}` : 'The call failed', error)
}

function codeOf(error: unknown): string {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const code = (at as { code?: unknown }).code
    if (typeof code === 'string') return code
    if (at instanceof AggregateError && at.errors.length > 0) return codeOf(at.errors[0])
  }
  return ''
}
