import { iamServiceDefinition } from '@millrace/contracts'
import { createGrpcClient } from '@millrace/grpc'
import { type JwksDocument, signServiceToken } from '@millrace/identity'
import type { Logger } from '@millrace/logger'

export interface IamKeys {
  fetchJwks(): Promise<JwksDocument>
  close(): void
}

export function createIamKeys(address: string, serviceSecret: string, logger: Logger): IamKeys {
  const client = createGrpcClient(iamServiceDefinition, address, {
    serviceToken: () => signServiceToken(serviceSecret, 'artifact'),
    logger,
  })
  return {
    async fetchJwks() {
      const { jwksJson } = await client.getJwks({})
      return JSON.parse(jwksJson) as JwksDocument
    },
    close: () => client.close(),
  }
}
