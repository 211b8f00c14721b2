import { iamServiceDefinition } from '@millrace/contracts'
import { createGrpcClient } from '@millrace/grpc'
import type { ServiceIdentity } from '@millrace/identity'
import type { Logger } from '@millrace/logger'

export interface SecretAnswer {
  readonly values: ReadonlyMap<string, string>
  /** They exist, but iam cannot open them with its present master key. */
  readonly unreadable: ReadonlySet<string>
}

export interface SecretsClient {
  /** Throws when iam cannot be asked now. A name in neither part of the answer does not exist. */
  fetch(projectId: string, names: readonly string[]): Promise<SecretAnswer>
  close(): void
}

/** A lease waits for this, and its time is running. */
const TIMEOUT_MS = 1000

export function createSecretsClient(address: string, identity: ServiceIdentity, logger: Logger): SecretsClient {
  const client = createGrpcClient(iamServiceDefinition, address, {
    ...identity.credentialsFor('iam'),
    defaultTimeoutMs: TIMEOUT_MS,
    logger,
  })
  return {
    async fetch(projectId, names) {
      const { secrets, unreadable } = await client.getSecrets({ projectId, names: [...names] })
      return {
        values: new Map(secrets.map(({ name, value }) => [name, value])),
        unreadable: new Set(unreadable),
      }
    },
    close: () => client.close(),
  }
}
