import { malformed, permissionDenied } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import { parseCookie, stringifySetCookie } from 'cookie'
import type { IamContext } from '../context.js'

const NAME = 'millrace_refresh'
/** The only routes that read it; no other service ever sees it. */
const PATH = '/api/v1/auth'
const CONSOLE_HEADER = 'x-millrace-console'

/** The gateway says how the caller reached it; a public URL says it where a proxy in front ends TLS. */
const isSecure = (ctx: IamContext, { headers }: RouteRequest): boolean =>
  headers['x-forwarded-proto'] === 'https' || ctx.config.publicUrl.startsWith('https:')

export interface CookieFacts {
  name: string
  path: string
  value: string
  maxAgeSeconds: number
  sameSite?: 'strict' | 'lax'
}

/** Appended to the answer itself, so that a refusal can carry it too. */
export function sendCookie(
  ctx: IamContext,
  req: RouteRequest,
  { name, path, value, maxAgeSeconds, sameSite = 'strict' }: CookieFacts,
): void {
  const cookie = stringifySetCookie({
    name,
    value,
    path,
    httpOnly: true,
    sameSite,
    secure: isSecure(ctx, req),
    maxAge: maxAgeSeconds,
  })
  req.raw.res.appendHeader('set-cookie', cookie)
}

export const cookieOf = (req: RouteRequest, name: string): string | undefined =>
  parseCookie(req.headers.cookie ?? '')[name]

export function sendSessionCookie(ctx: IamContext, req: RouteRequest, refreshToken: string): void {
  const maxAgeSeconds = Math.floor(ctx.config.tokens.refreshMs / 1000)
  sendCookie(ctx, req, { name: NAME, path: PATH, value: refreshToken, maxAgeSeconds })
}

export function clearSessionCookie(ctx: IamContext, req: RouteRequest): void {
  sendCookie(ctx, req, { name: NAME, path: PATH, value: '', maxAgeSeconds: 0 })
}

export interface ShownRefreshToken {
  refreshToken: string
  kind: 'token' | 'cookie'
}

/**
 * The refresh token from the body, or without one from the cookie. A browser sends the cookie whoever made the page, but
 * no page of another origin can add the header without this one's consent.
 */
export function refreshTokenOf(req: RouteRequest): ShownRefreshToken {
  const body = req.body as { refreshToken: string } | undefined
  if (body !== undefined) return { refreshToken: body.refreshToken, kind: 'token' }
  const cookie = cookieOf(req, NAME)
  const fromConsole = req.headers[CONSOLE_HEADER] === '1'
  if (cookie === undefined && !fromConsole) throw malformed('body_required', 'A request body is required.')
  if (!fromConsole) {
    throw permissionDenied(
      'console_header_required',
      'With the session cookie the header X-Millrace-Console: 1 is needed.',
    )
  }
  return { refreshToken: cookie ?? '', kind: 'cookie' }
}
