import type { Metadata } from '@grpc/grpc-js'
import { unauthenticated } from '@millrace/errors'
import { type Identity, verifyServiceToken } from '@millrace/identity'
import type { ServerCallContext } from './call-context.js'

export interface InternalAuth {
  kind: 'internal'
  serviceSecret: string
}

export interface PublicAuth {
  kind: 'public'
  /** Takes the whole `authorization` value; throws an AppError when it is not good. */
  validate(authorization: string, project?: string): Promise<Identity>
  /** When given, service tokens are taken too. */
  serviceSecret?: string
}

export type ServerAuth = InternalAuth | PublicAuth

const missing = () => unauthenticated('missing_credentials', 'A bearer token is needed in the metadata.')

function bearerOf(authorization: string): string {
  if (authorization.slice(0, 7).toLowerCase() !== 'bearer ') throw missing()
  return authorization.slice(7).trim()
}

export function first(metadata: Metadata, key: string): string | undefined {
  const value = metadata.get(key)[0]
  return value === undefined ? undefined : value.toString()
}

/** Service tokens are the only ones here signed with HS256, which their header shows without a key. */
function isServiceToken(token: string): boolean {
  const end = token.indexOf('.')
  if (end < 0 || end > 200) return false
  return Buffer.from(token.slice(0, end), 'base64url').toString().includes('"HS256"')
}

/** Sets who calls on the context, or throws. Synchronous for services, which are most of the calls. */
export function authenticate(auth: ServerAuth, ctx: ServerCallContext): Promise<void> | undefined {
  const authorization = first(ctx.metadata, 'authorization')
  if (authorization === undefined) throw missing()
  const token = bearerOf(authorization)
  if (auth.kind === 'internal') {
    ctx.service = verifyServiceToken(auth.serviceSecret, token).service
    return undefined
  }
  if (auth.serviceSecret !== undefined && isServiceToken(token)) {
    ctx.service = verifyServiceToken(auth.serviceSecret, token).service
    return undefined
  }
  return auth.validate(authorization, first(ctx.metadata, 'x-millrace-project')).then((identity) => {
    ctx.identity = identity
  })
}
