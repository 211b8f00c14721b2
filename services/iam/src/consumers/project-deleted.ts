import type { EventOf } from '@millrace/events'
import type { IamContext } from '../context.js'
import { removeProject } from '../db/remove-project.js'

/** iam's part of a deleted project. The audit log stays: it is the record of what was done. */
export function removeDeletedProjects(ctx: IamContext): (events: EventOf<'project.deleted'>[]) => Promise<void> {
  return async (events) => {
    for (const { data } of events) await removeProject(ctx.pool, data.projectId)
  }
}
