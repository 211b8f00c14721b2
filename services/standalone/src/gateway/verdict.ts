import type { Exchange } from './exchange.js'
import type { HeaderChange, Verdict } from './ext-authz.js'
import { removeHeader, setHeader } from './headers.js'
import { securityHeaders, sendLocal } from './local-reply.js'

export function applyVerdict(headers: string[], verdict: Extract<Verdict, { kind: 'allowed' }>): void {
  for (const name of verdict.remove) removeHeader(headers, name)
  for (const { name, value, append } of verdict.headers) {
    if (append) headers.push(name, value)
    else setHeader(headers, name, value)
  }
}

export function sendDenial({ res, requestId }: Exchange, verdict: Extract<Verdict, { kind: 'denied' }>): void {
  if (verdict.body === '') {
    const code = verdict.status === 401 ? 'unauthenticated' : 'permission_denied'
    sendLocal(res, { status: verdict.status, code, detail: 'The request was refused.' }, requestId)
    return
  }
  const headers = ['x-request-id', requestId, 'content-length', String(Buffer.byteLength(verdict.body))]
  const own = verdict.headers.filter(({ name }) => !['content-length', 'x-request-id'].includes(name.toLowerCase()))
  if (!own.some(({ name }: HeaderChange) => name.toLowerCase() === 'content-type')) {
    headers.push('content-type', 'application/problem+json')
  }
  for (const [name, value] of Object.entries(securityHeaders)) {
    if (!own.some((change) => change.name.toLowerCase() === name)) headers.push(name, value)
  }
  for (const { name, value } of own) headers.push(name, value)
  res.writeHead(verdict.status, headers)
  res.end(verdict.body)
}
