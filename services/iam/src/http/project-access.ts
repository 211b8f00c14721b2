import type { RouteRequest } from '@millrace/http'
import type { IamContext } from '../context.js'
import { findProjectBySlug } from '../db/projects.js'
import { NO_PROJECT, noSuchProject } from '../domain/credential.js'

/** The project that the path names. An administrator who is not a member knows it by its slug alone. */
export async function projectIdOf(ctx: IamContext, { identity }: RouteRequest): Promise<string> {
  if (identity.projectId !== NO_PROJECT) return identity.projectId
  const project = await findProjectBySlug(ctx.pool, identity.project)
  if (!project) throw noSuchProject()
  return project.id
}
