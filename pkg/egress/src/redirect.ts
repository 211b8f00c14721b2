import { unprocessable } from '@millrace/errors'
import { parseTarget, type Target } from './target.js'

export interface Hop {
  target: Target
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
}

const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const credentials: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

export const isRedirect = (status: number): boolean => redirects.has(status)

/** As a browser does: 303, and a POST answered by 301 or 302, become GET; credentials stay with their origin. */
export function nextHop(hop: Hop, status: number, location: string): Hop {
  const target = parseTarget(location, hop.target.url)
  const becomesGet = (status === 303 && hop.method !== 'HEAD') || (status <= 302 && hop.method === 'POST')
  const sameOrigin = target.url.origin === hop.target.url.origin
  const dropped = (name: string) =>
    (!sameOrigin && credentials.has(name)) ||
    (!sameOrigin && name === 'host') ||
    (becomesGet && name.startsWith('content-'))
  return {
    target,
    method: becomesGet ? 'GET' : hop.method,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !dropped(name.toLowerCase()))),
    body: becomesGet ? undefined : hop.body,
  }
}

export function tooManyRedirects(): Error {
  return unprocessable('too_many_redirects', 'The call was redirected too many times')
}
