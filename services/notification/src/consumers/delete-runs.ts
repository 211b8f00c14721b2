import type { EventOf } from '@millrace/events'
import type { AppContext } from '../context.js'
import { deleteDeliveriesOf, deleteProject } from '../db/delete-deliveries.js'

export const deletionTopics = ['runs.deleted', 'project.deleted'] as const

/** Every step may be repeated. */
export function deleteRuns({ pool }: Pick<AppContext, 'pool'>) {
  return async (events: EventOf<(typeof deletionTopics)[number]>[]): Promise<void> => {
    for (const event of events) {
      if (event.topic === 'runs.deleted') await deleteDeliveriesOf(pool, event.data.runIds)
      else await deleteProject(pool, event.data.projectId)
    }
  }
}
