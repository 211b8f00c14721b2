import type { Egress, EgressResponse } from '@millrace/egress'
import { currentTraceparent } from '@millrace/telemetry'
import type { ExecutionContext, Executor } from './executor.js'
import { callFailure, unexpectedStatus } from './http-failure.js'
import { type HttpCall, readHttpCall } from './http-request.js'
import { readResponseBody } from './http-response.js'
import { type Outgoing, peerOf } from './outgoing.js'
import { timeLimitMs } from './time-limit.js'

export function createHttpExecutor({ egress, circuits }: Outgoing): Executor {
  return {
    uses: 'http',
    async execute(ctx) {
      const call = readHttpCall(ctx.input)
      for (const value of call.masked) ctx.mask(value)
      if (call.unknownFields.length > 0) {
        ctx.log('warn', 'system', `ignored unknown fields of \`with\`: ${call.unknownFields.slice(0, 10).join(', ')}`)
      }
      const startedAt = performance.now()
      const response = await circuits.call(ctx, peerOf(call.url), async () => {
        const answer = await send(egress, call, ctx)
        const durationMs = Math.round(performance.now() - startedAt)
        ctx.log('info', 'system', `${call.method} answered ${answer.status} in ${durationMs} ms`)
        if (!call.isExpected(answer.status)) throw unexpectedStatus(answer, ctx)
        return answer
      })
      const durationMs = Math.round(performance.now() - startedAt)
      return { status: response.status, headers: response.headers, body: readResponseBody(response), durationMs }
    },
  }
}

async function send(egress: Egress, call: HttpCall, ctx: ExecutionContext): Promise<EgressResponse> {
  const traceparent = currentTraceparent()
  const { idempotencyKey } = ctx.lease
  // The same for every attempt and every execution of the task, so that the peer can tell a repeat.
  const own = { 'user-agent': 'millrace', accept: '*/*', 'idempotency-key': idempotencyKey }
  const headers: Record<string, string> = { ...own, ...call.headers }
  if (traceparent !== undefined) headers.traceparent ??= traceparent
  try {
    return await egress.fetch(call.url, {
      method: call.method,
      headers,
      ...(call.body === undefined ? {} : { body: call.body }),
      maxResponseBytes: call.maxResponseBytes,
      timeoutMs: timeLimitMs(ctx),
      signal: ctx.signal,
    })
  } catch (error) {
    throw callFailure(error)
  }
}
