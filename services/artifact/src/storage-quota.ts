import { type AppError, quotaExceeded } from '@millrace/errors'
import type { Queryable } from '@millrace/postgres'
import type { AppContext } from './context.js'
import { storedBytes } from './db/project-storage.js'
import type { Artifact, Content } from './domain/artifact.js'

export const storageExceeded = (limit: number): AppError =>
  quotaExceeded('storageBytes', `The project stores at most ${limit} bytes of artifacts.`)

interface Counted {
  projectId: string
  createdBy: string
}

/**
 * Outputs of tasks are counted and not refused: the task has run, and its output would otherwise stay in the scheduler's
 * database.
 */
const isExempt = ({ createdBy }: Counted): boolean => createdBy === 'service:scheduler'

/** How many bytes more the project may store. */
export async function roomFor(ctx: AppContext, artifact: Counted, limit: number | null): Promise<number> {
  if (limit === null || isExempt(artifact)) return Number.POSITIVE_INFINITY
  return Math.max(0, limit - (await storedBytes(ctx.pool, artifact.projectId)))
}

/** More than was counted for the artifact so far. */
export const grows = (before: Pick<Artifact, 'size' | 'declaredSize'>, { size }: Content): boolean =>
  size > (before.size ?? before.declaredSize ?? 0)

/** After the change, in its transaction: the row that counts is locked by then, so two changes at once count each other. */
export async function assertWithinQuota(tx: Queryable, artifact: Counted, limit: number | null): Promise<void> {
  if (limit === null || isExempt(artifact)) return
  if ((await storedBytes(tx, artifact.projectId)) > limit) throw storageExceeded(limit)
}
