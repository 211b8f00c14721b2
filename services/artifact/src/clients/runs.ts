import { schedulerInternalDefinition } from '@millrace/contracts'
import { AppError } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import { signServiceToken } from '@millrace/identity'
import type { Logger } from '@millrace/logger'

/** What this service asks the scheduler. */
export interface Runs {
  /** The project of the run, if the worker's session holds a live lease in it. */
  projectOfLease(sessionId: string, runId: string): Promise<string | undefined>
  /** Undefined when it cannot be told: the run has not arrived there, or nobody answers. */
  workflowOf(runId: string, projectId: string): Promise<string | undefined>
  close(): void
}

export function createRuns(address: string, serviceSecret: string, logger: Logger): Runs {
  const client = createGrpcClient(schedulerInternalDefinition, address, {
    serviceToken: () => signServiceToken(serviceSecret, 'artifact'),
    logger,
  })
  return {
    async projectOfLease(sessionId, runId) {
      try {
        const { holds, projectId } = await client.holdsLease({ sessionId, runId })
        return holds ? projectId : undefined
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_found') return undefined
        throw error
      }
    },
    async workflowOf(runId, projectId) {
      try {
        const { run } = await client.getRun({ runId, projectId, withoutTasks: true }, { timeoutMs: 1_000 })
        return run?.workflow
      } catch (error) {
        const expected = error instanceof AppError && error.code === 'not_found'
        if (!expected) logger.warn({ err: error }, 'the workflow of a run could not be learnt')
        return undefined
      }
    },
    close: () => client.close(),
  }
}
