import { type iam, iamServiceDefinition } from '@millrace/contracts'
import { quotaExceeded, unauthenticated } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import { type Identity, IdentityVerifier, isRole, type JwksDocument, type ServiceIdentity } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { type ProjectQuotas, type QuotasOf, quotasOf, rememberQuotas } from './quotas.js'
import { createStreamQuota, type OpenStream } from './stream-quota.js'
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
  /** Names of `user:<id>` and `key:<id>` in a project, as far as they have one there. Only the workflow service is answered. */
  subjectNames(projectId: string, subjects: readonly string[]): Promise<Record<string, string>>
  readonly quotas: QuotasOf
  /** What a project uses of the things that iam counts; undefined when there is no such project. */
  usage(project: { projectId: string } | { slug: string }): Promise<CountedUsage | undefined>
  /** Counts mails before they are sent, or gives them back (`mails` < 0); throws `quota_exceeded`. */
  useMails(projectId: string, mails: number): Promise<void>
  readonly openStream: OpenStream
  reportStorage(projects: readonly { projectId: string; bytes: number }[]): Promise<void>
  close(): void
}

export interface CountedUsage {
  projectId: string
  quotas: ProjectQuotas
  streams: number
  mailsToday: number
  storageBytes: number
}

export function createIamClient({ address, identity, logger }: IamClientOptions): IamClient {
  const client = createGrpcClient(iamServiceDefinition, address, {
    ...identity.credentialsFor('iam'),
    logger,
  })
  const streams = createStreamQuota(
    {
      openStream: (stream) => client.openStream({ stream }),
      keepStreams: async (open, endedIds) => {
        await client.keepStreams({ open, endedIds })
      },
    },
    logger,
  )
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
    subjectNames: async (projectId, subjects) =>
      (await client.getSubjectNames({ projectId, subjects: [...subjects] })).names,
    quotas: rememberQuotas(async (projectId) => quotasOf((await client.getQuotas({ projectId })).quotas)),
    usage: async (project) => {
      const { quotas, ...counted } = await client.getUsage(project)
      return counted.projectId === '' ? undefined : { ...counted, quotas: quotasOf(quotas) }
    },
    useMails: async (projectId, mails) => {
      const { allowed, retryAfterSeconds } = await client.useMails({ projectId, mails })
      if (allowed) return
      throw quotaExceeded('mailsPerDay', 'The project may send no more mail today.', retryAfterSeconds)
    },
    openStream: streams.open,
    reportStorage: async (projects) => {
      await client.reportStorage({ projects: [...projects] })
    },
    close: () => {
      streams.close()
      client.close()
    },
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
