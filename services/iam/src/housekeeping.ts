import { purgeExpiredKeys } from '@millrace/http'
import { withTransaction } from '@millrace/postgres'
import type { IamContext } from './context.js'
import { deleteOldUsage } from './db/daily-usage.js'
import { deleteOldLoginFailures } from './db/login-failures.js'
import { deleteExpiredTokens } from './db/one-time-tokens.js'
import { deleteLostStreams } from './db/open-streams.js'
import { publishRemovals } from './db/project-removals.js'
import { deleteExpiredFamilies } from './db/refresh-tokens.js'

const EVERY_MS = 20_000

/** Removes what no longer means anything, in slices. */
export function startHousekeeping(ctx: IamContext): () => void {
  const { accountWindowMs, addressWindowMs } = ctx.config.login
  const sweep = async () => {
    await deleteOldLoginFailures(ctx.pool, Math.max(accountWindowMs, addressWindowMs))
    await deleteExpiredFamilies(ctx.pool)
    await deleteExpiredTokens(ctx.pool)
    await purgeExpiredKeys(ctx.pool)
    await deleteLostStreams(ctx.pool)
    await deleteOldUsage(ctx.pool)
    await withTransaction(ctx.pool, publishRemovals)
  }
  const timer = setInterval(() => {
    sweep().catch((error: unknown) => ctx.logger.warn({ err: error }, 'housekeeping failed'))
  }, EVERY_MS)
  timer.unref()
  return () => clearInterval(timer)
}
