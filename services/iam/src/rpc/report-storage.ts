import type { iamServiceDefinition } from '@millrace/contracts'
import { malformed } from '@millrace/errors'
import type { HandlersOf } from '@millrace/grpc'
import type { IamContext } from '../context.js'
import { storeReportedBytes } from '../db/reported-storage.js'
import { requireProjectId } from './quotas.js'

const maxProjects = 1000

/** For `GET /projects/{slug}/usage` alone: the artifact service itself refuses what is over the quota. */
export function reportStorage(ctx: IamContext): HandlersOf<typeof iamServiceDefinition>['reportStorage'] {
  return async ({ projects }) => {
    if (projects.length > maxProjects) throw malformed('too_many_projects', `At most ${maxProjects} at once.`)
    for (const { projectId } of projects) requireProjectId(projectId)
    await storeReportedBytes(ctx.pool, projects)
    return {}
  }
}
