import { setTimeout as sleep } from 'node:timers/promises'
import { rateLimited } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import type { IamContext } from '../context.js'
import { type LoginAttempt, loginStanding } from '../db/login-failures.js'
import { loginDelayMs } from '../domain/login-delay.js'
import { callerAddressOf, networkOf } from '../security/network.js'
import { cookieOf, sendCookie } from './session-cookie.js'

const DEVICE_COOKIE = 'millrace_device'
const DEVICE_COOKIE_PATH = '/api/v1/auth/login'
const DEVICE_COOKIE_SECONDS = 365 * 86_400

export function attemptOf(ctx: IamContext, req: RouteRequest, account: Buffer): LoginAttempt {
  const device = ctx.devices.read(cookieOf(req, DEVICE_COOKIE), account)
  return { account, address: callerAddressOf(req.ip), network: networkOf(req.ip), device }
}

/** For browsers: the next time its failures are counted apart from those of strangers. */
export function sendDeviceCookie(ctx: IamContext, req: RouteRequest, { account, device }: LoginAttempt): void {
  if (device !== null) return
  const value = ctx.devices.issue(account)
  sendCookie(ctx, req, { name: DEVICE_COOKIE, path: DEVICE_COOKIE_PATH, value, maxAgeSeconds: DEVICE_COOKIE_SECONDS })
}

/** The failures so far that count together with this try. */
export async function assertAllowed(ctx: IamContext, attempt: LoginAttempt): Promise<number> {
  const { waitSeconds, failures } = await loginStanding(ctx.pool, attempt, ctx.config.login)
  if (waitSeconds > 0) throw rateLimited('too_many_logins', 'Too many failed logins. Try again later.', waitSeconds)
  return failures
}

/** Holds a refusal back; a caller who goes away ends the wait. */
export async function delayRefusal(ctx: IamContext, req: RouteRequest, failures: number): Promise<void> {
  const ms = loginDelayMs(failures, ctx.config.login.maxDelayMs)
  if (ms > 0) await sleep(ms, undefined, { signal: req.signal }).catch(() => undefined)
}
