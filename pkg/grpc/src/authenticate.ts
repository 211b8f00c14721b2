import type { Metadata } from '@grpc/grpc-js'
import { unauthenticated } from '@millrace/errors'
import { type Identity, isHeldBy, isServiceToken, type ServiceIdentity } from '@millrace/identity'
import type { ServerCallContext } from './call-context.js'
import { requireServiceAccess } from './service-access.js'

export interface InternalAuth {
  kind: 'internal'
  /** The server's own: it checks what other services show. Without one nobody is let in. */
  identity: ServiceIdentity | undefined
}

export interface PublicAuth {
  kind: 'public'
  /** Takes the whole `authorization` value; throws an AppError when it is not good. */
  validate(authorization: string, project?: string): Promise<Identity>
  /** When given, service tokens are taken too. */
  identity?: ServiceIdentity
  /** Counts one more live stream of a project; resolves to what says that it ended, throws when there are enough. */
  openStream?: (projectId: string) => Promise<() => void>
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

/** Sets who calls on the context, or throws. Synchronous for services, which are most of the calls. */
export function authenticate(auth: ServerAuth, ctx: ServerCallContext, path: string): Promise<void> | undefined {
  const authorization = first(ctx.metadata, 'authorization')
  if (authorization === undefined) throw missing()
  const token = bearerOf(authorization)
  if (auth.identity !== undefined && (auth.kind === 'internal' || isServiceToken(token))) {
    const service = auth.identity.verify(token)
    // The token alone would do for whoever has seen it: under TLS its bearer also has the certificate of that name.
    if (auth.identity.tls && !isHeldBy(ctx.certificate, service)) {
      throw unauthenticated('invalid_service_token', `The caller has no certificate of ${service}.`)
    }
    // Known, also when it is refused.
    ctx.service = service
    requireServiceAccess(path, service)
    return undefined
  }
  if (auth.kind === 'internal') throw missing()
  return auth.validate(authorization, first(ctx.metadata, 'x-millrace-project')).then((identity) => {
    ctx.identity = identity
  })
}
