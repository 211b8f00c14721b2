import { AppError } from '@millrace/errors'
import type { RouteHandler, RouteRequest } from '@millrace/http'
import type { IamContext } from '../context.js'
import { findTokenOwner, type UserTokenPurpose } from '../db/one-time-tokens.js'
import { findLogin, findLoginById } from '../db/users.js'
import { normaliseEmail } from '../domain/email.js'
import { hashOf } from '../security/secret-text.js'

interface Account {
  id: string
  defaultProjectId: string | null
}

type FindAccount = (ctx: IamContext, req: RouteRequest) => Promise<Account | undefined>

export const accountOfEmail: FindAccount = ({ pool }, { body }) =>
  findLogin(pool, normaliseEmail((body as { email: string }).email))

/** Also of a link that has expired, for as long as its row is kept. */
export const accountOfLink =
  (purpose: UserTokenPurpose): FindAccount =>
  async ({ pool }, { body }) => {
    const { token } = body as { token?: string }
    const owner = token === undefined ? undefined : await findTokenOwner(pool, purpose, hashOf(token))
    return owner && findLoginById(pool, owner.userId)
  }

const isRecorded = (error: unknown): error is AppError =>
  error instanceof AppError &&
  (['permission_denied', 'rate_limited'].includes(error.code) || error.reason === 'invalid_token')

/** At once, for each route: what strangers are refused must not keep the database from others. */
const MOST_LOOKUPS = 8

/**
 * Refusals where nobody has shown a credential, when they concern an account that exists: in the audit log, bounded as
 * those of known callers are. The answer does not wait for the lookup, so its time does not tell whether there is one.
 */
export function notingRefusals(
  ctx: IamContext,
  operation: string,
  find: FindAccount,
  handler: RouteHandler,
): RouteHandler {
  let lookups = 0
  const note = async (req: RouteRequest, { reason }: AppError) => {
    if (lookups >= MOST_LOOKUPS) return
    lookups += 1
    const account = await find(ctx, req).finally(() => {
      lookups -= 1
    })
    if (!account) return
    const { ip, requestId } = req
    const projectId = account.defaultProjectId ?? ''
    ctx.refusals.note({ actor: `user:${account.id}`, projectId, target: `${operation}:${reason}`, ip, requestId })
  }
  return async (req) => {
    try {
      return await handler(req)
    } catch (error) {
      if (isRecorded(error))
        note(req, error).catch((err: unknown) => ctx.logger.warn({ err, operation }, 'a refusal was not recorded'))
      throw error
    }
  }
}
