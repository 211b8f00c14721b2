import { schedulerInternalDefinition } from '@millrace/contracts'
import { AppError } from '@millrace/errors'
import { createGrpcClient } from '@millrace/grpc'
import type { ServiceIdentity } from '@millrace/identity'
import type { Logger } from '@millrace/logger'

/** What this service asks the scheduler. */
export interface Runs {
  /** The project of the run, if the session holds a live lease in it and was registered by this credential. */
  projectOfLease(lease: { sessionId: string; runId: string; subject: string }): Promise<string | undefined>
  /** Undefined when the project has no such run, as far as the scheduler knows. */
  find(runId: string, projectId: string): Promise<{ workflow: string } | undefined>
  /** Runs that still refer to these artifacts as outputs, by artifact. */
  outputUsers(artifactIds: readonly string[]): Promise<Map<string, string>>
  close(): void
}

export function createRuns(address: string, identity: ServiceIdentity, logger: Logger): Runs {
  const client = createGrpcClient(schedulerInternalDefinition, address, {
    ...identity.credentialsFor('scheduler'),
    logger,
  })
  return {
    async projectOfLease(lease) {
      try {
        const { holds, projectId } = await client.holdsLease(lease)
        return holds ? projectId : undefined
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_found') return undefined
        throw error
      }
    },
    async find(runId, projectId) {
      try {
        const { run } = await client.getRun({ runId, projectId, withoutTasks: true }, { timeoutMs: 1_000 })
        return run ? { workflow: run.workflow } : undefined
      } catch (error) {
        if (error instanceof AppError && error.code === 'not_found') return undefined
        throw error
      }
    },
    async outputUsers(artifactIds) {
      const { runIds } = await client.findOutputUsers({ artifactIds: [...artifactIds] })
      return new Map(Object.entries(runIds))
    },
    close: () => client.close(),
  }
}
