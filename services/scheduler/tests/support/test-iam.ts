import { dispatchDefinition } from '@millrace/contracts'
import { unauthenticated, unavailable } from '@millrace/errors'
import { createGrpcClient, type GrpcClient } from '@millrace/grpc'
import { type IamClient, noQuotas } from '@millrace/iam-client'
import { type Identity, IdentityVerifier, type Role } from '@millrace/identity'
import { testLogger } from '@millrace/testkit'
import { v7 } from 'uuid'
import type { SchedulerService } from '../../src/server.js'

/** Answers for iam: keys that a test makes and revokes. */
export class TestIam {
  private readonly identities = new Map<string, Identity>()
  private readonly revoked = new Set<string>()
  /** Nobody answers for iam now. */
  down = false

  key(projectId: string, role: Role = 'worker'): string {
    const id = v7()
    const token = `token-of-${id}`
    const expiresAt = Number.MAX_SAFE_INTEGER
    this.identities.set(token, { subject: `key:${id}`, projectId, project: 'p', role, admin: false, expiresAt })
    return token
  }

  revoke(token: string): void {
    this.revoked.add(this.identities.get(token)?.subject ?? '')
  }

  readonly client: IamClient = {
    verifier: new IdentityVerifier(async () => ({ keys: [] })),
    validateToken: async (authorization) => {
      if (this.down) throw unavailable('iam_down', 'not now')
      const identity = this.identities.get(authorization.replace(/^bearer\s+/i, ''))
      if (!identity || this.revoked.has(identity.subject)) throw unauthenticated('invalid_token', 'no such key')
      return identity
    },
    findInvalidKeys: async (ids) => {
      if (this.down) throw unavailable('iam_down', 'not now')
      return ids.filter((id) => this.revoked.has(`key:${id}`))
    },
    subjectNames: async () => ({}),
    quotas: async () => noQuotas,
    usage: async () => undefined,
    useMails: async () => undefined,
    openStream: async () => () => undefined,
    reportStorage: async () => undefined,
    close: () => undefined,
  }
}

/** A worker's client with a key of its own. */
export function dispatchAs(service: SchedulerService, bearer: string): GrpcClient<typeof dispatchDefinition> {
  const address = `127.0.0.1:${service.publicGrpcPort}`
  return createGrpcClient(dispatchDefinition, address, { bearer, defaultTimeoutMs: 30_000, logger: testLogger })
}
