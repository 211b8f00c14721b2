import { unprocessable } from '@millrace/errors'
import { parseTarget, type Target } from './target.js'

export interface Hop {
  target: Target
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** All that another origin is given. A list of what to withhold would miss the credentials that people name themselves. */
const carriedAcrossOrigins: ReadonlySet<string> = new Set([
  ...['accept', 'accept-encoding', 'accept-language', 'user-agent', 'traceparent'],
])

export const isRedirect = (status: number): boolean => redirects.has(status)

/**
 * As a browser does: 303, and a POST answered by 301 or 302, become GET. Stricter than one with what belongs to the first
 * origin: no header that could be a credential leaves it, and a body is not sent on at all.
 */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  const target = parseTarget(location, hop.target.url)
  const becomesGet = (status === 303 && hop.method !== 'HEAD') || (status <= 302 && hop.method === 'POST')
  const sameOrigin = target.url.origin === hop.target.url.origin
  const body = becomesGet ? undefined : hop.body
  if (!sameOrigin && body !== undefined) throw bodyStays()
  const kept = (name: string) =>
    sameOrigin ? !(becomesGet && name.startsWith('content-')) : carriedAcrossOrigins.has(name)
  return {
    target,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => kept(name.toLowerCase()))),
    body,
  }
}

function bodyStays(): Error {
  return unprocessable('redirect_refused', 'The call was redirected to another origin, which may not have its body')
}

export function tooManyRedirects(): Error {
  return unprocessable('too_many_redirects', 'The call was redirected too many times')
}
