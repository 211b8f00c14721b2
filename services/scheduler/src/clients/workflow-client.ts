import { workflowServiceDefinition } from '@millrace/contracts'
import type { Definition } from '@millrace/definition'
import { createGrpcClient } from '@millrace/grpc'
import { signServiceToken } from '@millrace/identity'
import type { Logger } from '@millrace/logger'

export interface WorkflowClient {
  fetchVersion(versionId: string): Promise<Definition>
  close(): void
}

export function createWorkflowClient(address: string, serviceSecret: string, logger: Logger): WorkflowClient {
  const client = createGrpcClient(workflowServiceDefinition, address, {
    serviceToken: () => signServiceToken(serviceSecret, 'scheduler'),
    logger,
  })
  return {
    async fetchVersion(versionId) {
      const version = await client.getVersion({ versionId })
      return JSON.parse(version.definitionJson) as Definition
    },
    close: () => client.close(),
  }
}
