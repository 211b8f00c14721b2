import { schedulerInternalDefinition } from '@millrace/contracts'
import { AppError } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import type { ServiceIdentity } from '@millrace/identity'
import { runHasEnded } from '@millrace/job-store'
import type { Logger } from '@millrace/logger'

export interface KnownRun {
  id: string
  /** Epoch milliseconds; undefined while the run goes on. */
  finishedAt: number | undefined
}

/** The truth about runs, for those whose events are still on their way here. */
export interface SchedulerRuns {
  find(projectId: string, runId: string): Promise<KnownRun | undefined>
  close(): void
}

export function createSchedulerRuns(address: string, identity: ServiceIdentity, logger: Logger): SchedulerRuns {
  const client = createGrpcClient(schedulerInternalDefinition, address, {
    ...identity.credentialsFor('scheduler'),
    defaultTimeoutMs: 2_000,
    logger,
  })
  return {
    async find(projectId, runId) {
      try {
        const { run } = await client.getRun({ runId, projectId, withoutTasks: true })
        if (run === null || run === undefined || run.projectId !== projectId) return undefined
        const finishedAt = runHasEnded(run.status) ? Date.parse(run.finishedAt) || Date.now() : undefined
        return { id: run.id, finishedAt }
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_found') return undefined
        throw error
      }
    },
    close: () => client.close(),
  }
}
