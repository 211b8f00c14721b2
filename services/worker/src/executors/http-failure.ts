import type { EgressResponse } from '@millrace/egress'
import { AppError } from '@millrace/errors'
import { ExecutionFailure, invalidInput, invalidOutput } from '../execution/execution-failure.js'
import type { ExecutionContext } from './executor.js'
import { snippet } from './http-response.js'

/** Peers that say "not now" in the 4xx range. */
const retryableStatuses: ReadonlySet<number> = new Set([408, 425, 429])

/** With these `Retry-After` says when to come back. */
const waitingStatuses: ReadonlySet<number> = new Set([429, 503])
const DAY_MS = 86_400_000

/** A number of seconds or a date. What cannot be read, or is over, asks for nothing. */
export function readRetryAfter(value: string | undefined, nowMs: number): number | undefined {
  if (value === undefined || value.length > 64) return undefined
  const text = value.trim()
  const ms = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - nowMs
  return ms > 0 ? Math.min(ms, DAY_MS) : undefined
}

/** What an outgoing call that was not answered means for the attempt. */
export function callFailure(error: unknown): unknown {
  if (!(error instanceof AppError)) return error
  const { message, reason } = error
  if (reason === 'egress_denied') {
    return new ExecutionFailure(message, { class: 'non_retryable', code: reason, cause: error })
  }
  switch (error.code) {
    case 'deadline_exceeded':
      return new ExecutionFailure(message, { class: 'timeout', code: reason, cause: error })
    case 'unavailable':
      return new ExecutionFailure(message, { class: 'network', code: reason, cause: error })
    case 'too_large':
      return invalidOutput(message, error)
    case 'unprocessable':
      return invalidInput(message)
    default:
      return error
  }
}

export function unexpectedStatus(response: EgressResponse, ctx: ExecutionContext): ExecutionFailure {
  const { status } = response
  const retryAfter = response.headers['retry-after']
  if (retryAfter !== undefined)
    ctx.log('warn', 'system', `the peer asks to retry after ${ctx.hide(retryAfter).slice(0, 64)}`)
  const message = `The answer was ${status}${snippet(response, ctx.hide)}`
  const retryAfterMs = waitingStatuses.has(status) ? readRetryAfter(retryAfter, Date.now()) : undefined
  if (status >= 500) return new ExecutionFailure(message, { class: 'http_5xx', code: 'http_status', retryAfterMs })
  if (status < 400) return new ExecutionFailure(message, { class: 'unknown', code: 'http_status' })
  const retryable = retryableStatuses.has(status)
  return new ExecutionFailure(message, { class: 'http_4xx', code: 'http_status', retryable, retryAfterMs })
}
