import { crashPoint } from '@millrace/crash-point'
import type { EventOf } from '@millrace/events'
import type { AppContext } from '../context.js'
import { runsDeleted } from '../telemetry.js'

/** In a group of its own: however much there is to delete, what happens now is recorded meanwhile. */
export function deleteRuns(ctx: Pick<AppContext, 'store'>) {
  return async (events: EventOf<'runs.deleted' | 'project.deleted'>[]): Promise<void> => {
    for (const event of events) {
      crashPoint('metadata.deletion.before')
      if (event.topic === 'project.deleted') await ctx.store.deleteProject(event.data.projectId)
      else {
        await ctx.store.deleteRuns(event.data.runIds)
        runsDeleted.inc(event.data.runIds.length)
      }
    }
  }
}
