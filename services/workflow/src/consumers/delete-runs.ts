import { crashPoint } from '@millrace/crash-point'
import type { EventOf } from '@millrace/events'
import type { AppContext } from '../context.js'
import { closeProject, deleteProject } from '../db/delete-project.js'
import { deleteRunRequests } from '../db/delete-run-requests.js'

export const deletionTopics = ['runs.deleted', 'project.deleted', 'project.emptied'] as const

/** Every step may be repeated. */
export function deleteRuns({ pool }: Pick<AppContext, 'pool'>) {
  return async (events: EventOf<(typeof deletionTopics)[number]>[]): Promise<void> => {
    for (const event of events) {
      crashPoint('workflow.deletion.before')
      if (event.topic === 'runs.deleted') await deleteRunRequests(pool, event.data.runIds)
      else if (event.topic === 'project.deleted') await closeProject(pool, event.data.projectId)
      else await deleteProject(pool, event.data.projectId)
    }
  }
}
