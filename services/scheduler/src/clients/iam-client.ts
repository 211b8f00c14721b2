import { iamServiceDefinition } from '@millrace/contracts'
import { unauthenticated } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import { type Identity, signServiceToken } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { LRUCache } from 'lru-cache'

/** How long a validated credential is trusted without asking again; bounds how long a revoked one still works. */
const TRUST_MS = 2000

export interface IamClient {
  validate(authorization: string, project?: string): Promise<Identity>
  close(): void
}

export function createIamClient(address: string, serviceSecret: string, logger: Logger): IamClient {
  const client = createGrpcClient(iamServiceDefinition, address, {
    serviceToken: () => signServiceToken(serviceSecret, 'scheduler'),
    logger,
  })
  const trusted = new LRUCache<string, Identity>({ max: 10_000, ttl: TRUST_MS })
  return {
    async validate(authorization, project = '') {
      const token = authorization.replace(/^bearer\s+/i, '')
      const key = `${project}\n${token}`
      const known = trusted.get(key)
      if (known) return known
      const answer = await client.validateToken({ token, project })
      if (!answer.valid) throw unauthenticated('invalid_token', `the credential is not good: ${answer.reason}`)
      const identity: Identity = {
        subject: answer.subject,
        ...(answer.userId ? { userId: answer.userId } : {}),
        projectId: answer.projectId,
        project: answer.project,
        role: answer.role as Identity['role'],
        admin: answer.admin,
        expiresAt: answer.expiresAt === '' ? Number.MAX_SAFE_INTEGER : Math.floor(Date.parse(answer.expiresAt) / 1000),
      }
      trusted.set(key, identity)
      return identity
    },
    close: () => client.close(),
  }
}
