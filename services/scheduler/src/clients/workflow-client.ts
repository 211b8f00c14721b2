import { type workflow as proto, workflowServiceDefinition } from '@millrace/contracts'
import type { Definition } from '@millrace/definition'
import { AppError, internal, isErrorCode } from '@millrace/errors'
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
  /** In the order of the runs. */
  createRuns(runs: readonly NewRun[], timeoutMs: number): Promise<({ runId: string } | AppError)[]>
  close(): void
}

export function createWorkflowClient(address: string, identity: ServiceIdentity, logger: Logger): WorkflowClient {
  const client = createGrpcClient(workflowServiceDefinition, address, {
    ...identity.credentialsFor('workflow'),
    logger,
  })
  return {
    async fetchVersion(versionId) {
      const version = await client.getVersion({ versionId })
      return JSON.parse(version.definitionJson) as Definition
    },
    createRun: (run, timeoutMs) => client.createRun(run, timeoutMs === undefined ? {} : { timeoutMs }),
    async createRuns(runs, timeoutMs) {
      const { outcomes } = await client.createRuns({ runs: [...runs] }, { timeoutMs })
      return runs.map((_, i) => toOutcome(outcomes[i]))
    },
    close: () => client.close(),
  }
}

function toOutcome(outcome: proto.CreateRunOutcome__Output | undefined): { runId: string } | AppError {
  if (outcome?.run) return outcome.run
  if (!outcome?.refusal || !isErrorCode(outcome.refusal.code)) return internal('A run of many was not answered.')
  const { code, reason, message } = outcome.refusal
  return new AppError(code, reason, message)
}
