import { toAppError } from '@millrace/errors'
import type { Identity } from '@millrace/identity'
import type { Route } from '@millrace/routes'
import type express from 'express'
import { authorise } from './access.js'
import type { StreamRecheck } from './types.js'

/** With the 2 s that iam and the 2 s that its client remember a credential, a revoked one is noticed within 5 s. */
const RECHECK_MS = 750
const MAX_AGE_MS = 3_600_000
/** An iam that cannot be reached says nothing about the credential; a stream outlives that for so long, and no longer. */
const OUTAGE_MS = 15_000
/** How long an ended stream may take to flush what its handler still has to say. */
const FLUSH_MS = 2000

export interface WatchedStream {
  readonly req: express.Request
  readonly res: express.Response
  readonly route: Route
  readonly params: Record<string, string>
  readonly identity: Identity
  /** Aborts the handler's signal. */
  readonly end: () => void
}

const refusals: ReadonlySet<string> = new Set(['unauthenticated', 'permission_denied', 'not_found'])

/**
 * Ends a live stream once its caller could no longer open it: membership, role, session, key or account gone, or token
 * expired. Without the caller's own credential the signed identity is all there is, and its end is the stream's. No
 * stream is older than an hour: clients connect again, and whatever was granted is checked from the beginning.
 */
export function watchIdentity(stream: WatchedStream, recheck: StreamRecheck): void {
  const { req, res, route, params, identity } = stream
  const { authorization, 'x-millrace-project': project } = req.headers
  let checking = false
  let answeredAt = performance.now()

  const check = async (token: string): Promise<void> => {
    try {
      const now = await recheck.validateToken(token, typeof project === 'string' ? project : undefined)
      answeredAt = performance.now()
      if (now.subject !== identity.subject || now.projectId !== identity.projectId) finish()
      else authorise(route, now, params)
    } catch (error) {
      const outage = !refusals.has(toAppError(error).code)
      if (!outage || performance.now() - answeredAt > OUTAGE_MS) finish()
    }
  }
  const tick = (): void => {
    if (authorization === undefined) {
      if (identity.expiresAt * 1000 <= Date.now()) finish()
    } else if (!checking) {
      checking = true
      void check(authorization).finally(() => {
        checking = false
      })
    }
  }

  const timer = setInterval(tick, recheck.everyMs ?? RECHECK_MS)
  const age = setTimeout(finish, recheck.maxAgeMs ?? MAX_AGE_MS)
  let cut: NodeJS.Timeout | undefined
  res.once('close', () => {
    clearInterval(timer)
    clearTimeout(age)
    clearTimeout(cut)
  })

  function finish(): void {
    clearInterval(timer)
    stream.end()
    // A reader that takes nothing would keep the stream open for as long as it likes.
    cut ??= setTimeout(() => res.destroy(), FLUSH_MS)
  }
}
