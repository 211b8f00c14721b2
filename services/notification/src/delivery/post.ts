import type { Egress } from '@millrace/egress'
import { snippetOf, type Verdict } from './attempt.js'

export interface Post {
  url: string
  headers: Record<string, string>
  body: string
  timeoutMs: number
  signal: AbortSignal
}

/** One POST and what its answer means. Redirects are not followed: the address that was checked is the one that counts. */
export async function post(egress: Egress, request: Post): Promise<Verdict> {
  const response = await egress.fetch(request.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': 'Millrace-Webhooks/1', ...request.headers },
    body: request.body,
    redirect: 'manual',
    maxResponseBytes: 1024,
    overflow: 'truncate',
    timeoutMs: request.timeoutMs,
    signal: request.signal,
  })
  const { status } = response
  const ok = status >= 200 && status < 300
  return {
    ok,
    statusCode: status,
    ...(ok ? {} : { error: `http_${status}: The receiver answered ${status}.` }),
    responseSnippet: snippetOf(response.body),
    retryAfterMs: retryAfterMs(response.headers['retry-after'], Date.now()),
    gone: status === 410,
  }
}

/** Seconds or a date. */
export function retryAfterMs(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
