import { createHash } from 'node:crypto'
import { iamServiceDefinition } from '@millrace/contracts'
import { unauthenticated } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import { type Identity, type JwksDocument, type Role, signServiceToken } from '@millrace/identity'
import type { Logger } from '@millrace/logger'

/** Takes the whole `authorization` value and the slug of a project; throws when it is not good. */
export type ValidateToken = (authorization: string, project?: string) => Promise<Identity>

export interface IamClient {
  fetchJwks(): Promise<JwksDocument>
  validateToken: ValidateToken
  close(): void
}

export function createIamClient(address: string, serviceSecret: string, logger: Logger): IamClient {
  const client = createGrpcClient(iamServiceDefinition, address, {
    serviceToken: () => signServiceToken(serviceSecret, 'metadata'),
    logger,
  })
  return {
    async fetchJwks() {
      const { jwksJson } = await client.getJwks({})
      return JSON.parse(jwksJson) as JwksDocument
    },
    validateToken: cached(async (authorization, project) => {
      const token = authorization.replace(/^bearer\s+/i, '')
      const answer = await client.validateToken({ token, project: project ?? '' })
      if (!answer.valid) throw unauthenticated('invalid_token', `The token is not valid: ${answer.reason}.`)
      return {
        subject: answer.subject,
        ...(answer.userId === '' ? {} : { userId: answer.userId }),
        projectId: answer.projectId,
        project: answer.project,
        role: answer.role as Role,
        admin: answer.admin,
        expiresAt: Math.floor(Date.parse(answer.expiresAt) / 1_000),
      }
    }),
    close: () => client.close(),
  }
}

const KEEP_MS = 5_000
const MAX_KEPT = 10_000

interface Kept {
  until: number
  identity: Promise<Identity>
}

/**
 * A revoked credential is refused after 5 s at the latest. Calls that come while the first is asked share its answer.
 * A refusal is not kept. Tokens are kept hashed: a heap dump must not hold them.
 */
export function cached(validate: ValidateToken, now: () => number = Date.now): ValidateToken {
  const kept = new Map<string, Kept>()
  return async (authorization, project) => {
    const key = createHash('sha256')
      .update(`${project ?? ''}\n${authorization}`)
      .digest('base64')
    const known = kept.get(key)
    if (known !== undefined && known.until > now()) return await known.identity
    const entry: Kept = { until: now() + KEEP_MS, identity: validate(authorization, project) }
    kept.delete(key)
    kept.set(key, entry)
    if (kept.size > MAX_KEPT) kept.delete(kept.keys().next().value ?? key)
    try {
      const identity = await entry.identity
      entry.until = Math.min(entry.until, identity.expiresAt * 1_000)
      return identity
    } catch (error) {
      if (kept.get(key) === entry) kept.delete(key)
      throw error
    }
  }
}
