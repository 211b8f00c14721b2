import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'

export function getJwks(ctx: IamContext): RouteHandler {
  return async () => ({ status: 200, body: ctx.keys.jwks, headers: { 'cache-control': 'public, max-age=5' } })
}
