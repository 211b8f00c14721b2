import { crashPoint } from '@millrace/crash-point'
import type { EventOf } from '@millrace/events'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { deleteOwned } from '../db/delete-artifact.js'
import { keepShared } from '../keep-shared.js'
import { artifactMetrics } from '../telemetry.js'

export const deletionTopics = ['runs.deleted', 'project.deleted'] as const

/** Rows go with their trash in one transaction, objects after them. Every step may be repeated. */
export function deleteRuns(ctx: AppContext, sweep: () => void) {
  return async (events: EventOf<(typeof deletionTopics)[number]>[]): Promise<void> => {
    for (const event of events) {
      if (event.topic === 'project.deleted') {
        const { projectId } = event.data
        await deleteAll(ctx, { projectId })
        crashPoint('artifact.deletion.rows')
        await ctx.pool.query('delete from idempotency_keys where project_id = $1', [projectId])
        await ctx.pool.query('delete from project_storage where project_id = $1', [projectId])
        await ctx.pool.query('delete from project_retention where project_id = $1', [projectId])
      } else {
        await keepShared(ctx, event.data.runIds)
        await deleteAll(ctx, event.data)
      }
    }
    sweep()
  }
}

async function deleteAll(ctx: AppContext, owner: Parameters<typeof deleteOwned>[1]): Promise<void> {
  for (let more = true; more; ) {
    const slice = await withTransaction(ctx.pool, (tx) => deleteOwned(tx, owner))
    artifactMetrics.deletedWithRuns.inc(slice.deleted.length)
    more = slice.more
  }
}
