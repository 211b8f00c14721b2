import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { audit } from './audited.js'

/** Tokens that are about stay good: verifiers know both keys. */
export function rotateSigningKey(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { kid, activeFrom } = await ctx.keys.rotate((tx, target) =>
      audit(tx, req, { action: 'signing_key.created', target, projectId: '' }),
    )
    ctx.bus.hint()
    return { status: 201, body: { kid, activeFrom: activeFrom.toISOString() } }
  }
}
