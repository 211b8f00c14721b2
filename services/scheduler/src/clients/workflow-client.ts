import { workflowServiceDefinition } from '@millrace/contracts'
import type { Definition } from '@millrace/definition'
import type { AppError } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import type { ServiceIdentity } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import type { ParentTask } from '../domain/origin.js'

export interface NewRun {
  projectId: string
  workflow: string
  /** Absent = newest. */
  version?: number
  inputJson: string
  labels: Record<string, string>
  /** The same key in the same project always answers with the same run. */
  dedupeKey: string
  requestedBy: string
  priority?: number
  /** The id that the run is to have. */
  runId?: string
  parent?: ParentTask
}

const refusals: ReadonlySet<AppError['code']> = new Set(['malformed', 'not_found', 'too_large', 'unprocessable'])

/** Asking again would give the same answer. */
export const isRefusal = (error: AppError): boolean => refusals.has(error.code) || error.reason === 'quota_exceeded'

export interface WorkflowClient {
  fetchVersion(versionId: string): Promise<Definition>
  createRun(run: NewRun, timeoutMs?: number): Promise<{ runId: string }>
  close(): void
}

export function createWorkflowClient(address: string, identity: ServiceIdentity, logger: Logger): WorkflowClient {
  const client = createGrpcClient(workflowServiceDefinition, address, {
    serviceToken: () => identity.tokenFor('workflow'),
    logger,
  })
  return {
    async fetchVersion(versionId) {
      const version = await client.getVersion({ versionId })
      return JSON.parse(version.definitionJson) as Definition
    },
    createRun: (run, timeoutMs) => client.createRun(run, timeoutMs === undefined ? {} : { timeoutMs }),
    close: () => client.close(),
  }
}
