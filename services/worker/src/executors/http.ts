import type { Egress, EgressResponse } from '@millrace/egress'
import { AppError } from '@millrace/errors'
import { currentTraceparent } from '@millrace/telemetry'
import { ExecutionFailure, invalidInput, invalidOutput } from '../execution/execution-failure.js'
import type { ExecutionContext, Executor } from './executor.js'
import { type HttpCall, readHttpCall } from './http-request.js'
import { readResponseBody, snippet } from './http-response.js'

/** For an attempt that has no time limit of its own: a peer that never answers must not hold a slot for ever. */
const defaultTimeoutMs = 5 * 60_000
/** Peers that say "not now" in the 4xx range. */
const retryableStatuses: ReadonlySet<number> = new Set([408, 425, 429])

export function createHttpExecutor(egress: Egress): Executor {
  return {
    uses: 'http',
    async execute(ctx) {
      const call = readHttpCall(ctx.input)
      for (const value of call.masked) ctx.mask(value)
      if (call.unknownFields.length > 0) {
        ctx.log('warn', 'system', `ignored unknown fields of \`with\`: ${call.unknownFields.slice(0, 10).join(', ')}`)
      }
      const startedAt = performance.now()
      const response = await send(egress, call, ctx)
      const durationMs = Math.round(performance.now() - startedAt)
      ctx.log('info', 'system', `${call.method} answered ${response.status} in ${durationMs} ms`)
      if (!call.isExpected(response.status)) throw unexpectedStatus(response, ctx)
      return { status: response.status, headers: response.headers, body: readResponseBody(response), durationMs }
    },
  }
}

async function send(egress: Egress, call: HttpCall, ctx: ExecutionContext): Promise<EgressResponse> {
  const traceparent = currentTraceparent()
  const headers: Record<string, string> = { 'user-agent': 'millrace', accept: '*/*', ...call.headers }
  if (traceparent !== undefined) headers.traceparent ??= traceparent
  try {
    return await egress.fetch(call.url, {
      method: call.method,
      headers,
      ...(call.body === undefined ? {} : { body: call.body }),
      maxResponseBytes: call.maxResponseBytes,
      timeoutMs: ctx.lease.timeoutMs > 0 ? ctx.lease.timeoutMs : defaultTimeoutMs,
      signal: ctx.signal,
    })
  } catch (error) {
    throw toFailure(error)
  }
}

function toFailure(error: unknown): unknown {
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

function unexpectedStatus(response: EgressResponse, ctx: ExecutionContext): ExecutionFailure {
  const { status } = response
  const retryAfter = response.headers['retry-after']
  if (retryAfter !== undefined)
    ctx.log('warn', 'system', `the peer asks to retry after ${ctx.hide(retryAfter).slice(0, 64)}`)
  const message = `The answer was ${status}${snippet(response, ctx.hide)}`
  if (status >= 500) return new ExecutionFailure(message, { class: 'http_5xx', code: 'http_status' })
  if (status < 400) return new ExecutionFailure(message, { class: 'unknown', code: 'http_status' })
  const retryable = retryableStatuses.has(status)
  return new ExecutionFailure(message, { class: 'http_4xx', code: 'http_status', retryable })
}
