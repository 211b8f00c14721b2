import type { Egress, EgressResponse } from '@millrace/egress'
import { currentTraceparent } from '@millrace/telemetry'
import { Webhook } from 'standardwebhooks'
import { invalidInput } from '../execution/execution-failure.js'
import type { ExecutionContext, Executor } from './executor.js'
import { callFailure, unexpectedStatus } from './http-failure.js'
import { inputObject, optionalString, requiredString } from './input.js'
import { type Outgoing, peerOf } from './outgoing.js'
import { timeLimitMs } from './time-limit.js'

/** Standard Webhooks: every attempt carries the same id, so that the receiver can tell a repeat. */
export function createWebhookExecutor({ egress, circuits }: Outgoing): Executor {
  return {
    uses: 'webhook',
    async execute(ctx) {
      const input = inputObject(ctx.input)
      const url = requiredString(input, 'url')
      if (!Object.hasOwn(input, 'payload')) throw invalidInput('`payload` is required')
      const body = JSON.stringify(input.payload)
      const headers = signed(optionalString(input, 'secret'), ctx.lease.idempotencyKey, body)
      const startedAt = performance.now()
      return circuits.call(ctx, peerOf(url), async () => {
        const response = await send(egress, url, headers, body, ctx)
        const { status } = response
        ctx.log('info', 'system', `the receiver answered ${status} in ${Math.round(performance.now() - startedAt)} ms`)
        if (status < 200 || status > 299) throw unexpectedStatus(response, ctx)
        return { status }
      })
    },
  }
}

/** Redirects are not followed: the address that was given is the one that may read the payload. */
async function send(
  egress: Egress,
  url: string,
  signature: Record<string, string>,
  body: string,
  ctx: ExecutionContext,
): Promise<EgressResponse> {
  const traceparent = currentTraceparent()
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'user-agent': 'Millrace-Webhooks/1',
    'idempotency-key': ctx.lease.idempotencyKey,
    ...signature,
    ...(traceparent === undefined ? {} : { traceparent }),
  }
  try {
    return await egress.fetch(url, {
      ...{ method: 'POST', headers, body, redirect: 'manual', signal: ctx.signal, timeoutMs: timeLimitMs(ctx) },
      ...{ maxResponseBytes: 256 * 1024, overflow: 'truncate' },
    })
  } catch (error) {
    throw callFailure(error)
  }
}

function signed(secret: string | undefined, id: string, body: string): Record<string, string> {
  const at = new Date()
  const headers = { 'webhook-id': `msg_${id}`, 'webhook-timestamp': String(Math.floor(at.getTime() / 1000)) }
  if (secret === undefined) return headers
  return { ...headers, 'webhook-signature': keyOf(secret).sign(headers['webhook-id'], at, body) }
}

/** The library's own message could show the secret. */
function keyOf(secret: string): Webhook {
  const malformed = () => invalidInput('`secret` must be base64, with `whsec_` before it or not')
  if (!/^(whsec_)?[A-Za-z0-9+/]{16,}={0,2}$/.test(secret)) throw malformed()
  try {
    return new Webhook(secret)
  } catch {
    throw malformed()
  }
}
