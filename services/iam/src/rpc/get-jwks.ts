import type { iamServiceDefinition } from '@millrace/contracts'
import type { HandlersOf } from '@millrace/grpc'
import type { IamContext } from '../context.js'

export function getJwks(ctx: IamContext): HandlersOf<typeof iamServiceDefinition>['getJwks'] {
  return async () => ({ jwksJson: JSON.stringify(ctx.keys.jwks) })
}
