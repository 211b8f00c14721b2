import { type iam, iamServiceDefinition } from '@millrace/contracts'
import { unauthenticated } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import { type Identity, IdentityVerifier, isRole, type JwksDocument, type ServiceIdentity } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { trustBriefly, type ValidateToken } from './trust-briefly.js'

export interface IamClientOptions {
  /** Of iam's internal listener. */
  address: string
  /** Who asks. */
  identity: ServiceIdentity
  logger: Logger
}

export interface IamClient {
  /** For the signed identities that the gateway passes on. */
  readonly verifier: IdentityVerifier
  /** For credentials that callers bring themselves. */
  readonly validateToken: ValidateToken
  /** Those of these API keys that may no longer be used. Only the scheduler is answered. */
  findInvalidKeys(ids: readonly string[]): Promise<string[]>
  close(): void
}

export function createIamClient({ address, identity, logger }: IamClientOptions): IamClient {
  const client = createGrpcClient(iamServiceDefinition, address, {
    serviceToken: () => identity.tokenFor('iam'),
    logger,
  })
  return {
    verifier: new IdentityVerifier(async () => {
      const { jwksJson } = await client.getJwks({})
      return JSON.parse(jwksJson) as JwksDocument
    }),
    validateToken: trustBriefly(async (authorization, project = '') => {
      const token = authorization.replace(/^bearer\s+/i, '')
      return toIdentity(await client.validateToken({ token, project }))
    }),
    findInvalidKeys: async (ids) => (await client.findInvalidKeys({ ids: [...ids] })).ids,
    close: () => client.close(),
  }
}

function toIdentity(answer: iam.ValidateTokenResponse__Output): Identity {
  const { valid, reason, role } = answer
  if (!valid || !isRole(role)) {
    throw unauthenticated('invalid_token', `The token is not valid${reason === '' ? '' : `: ${reason}`}.`)
  }
  return {
    subject: answer.subject,
    ...(answer.userId === '' ? {} : { userId: answer.userId }),
    projectId: answer.projectId,
    project: answer.project,
    role,
    admin: answer.admin,
    expiresAt: answer.expiresAt === '' ? Number.MAX_SAFE_INTEGER : Math.floor(Date.parse(answer.expiresAt) / 1_000),
  }
}
