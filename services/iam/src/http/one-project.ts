import { permissionDenied } from '@millrace/errors'
import { appendEvents } from '@millrace/events'
import type { RouteHandler } from '@millrace/http'
import type { Tx } from '@millrace/postgres'
import type { IamContext } from '../context.js'
import { noteRemoval } from '../db/project-removals.js'
import {
  archiveProject,
  findProject,
  lockProject,
  type ProjectRow,
  type Retention,
  updateProject as updateRow,
} from '../db/projects.js'
import { noSuchProject } from '../domain/credential.js'
import { effectiveQuotas, type Quotas } from '../domain/quotas.js'
import { audit, mutate } from './audited.js'
import { projectIdOf } from './project-access.js'

const shown = ({ id, slug, name, retention, quotas, createdAt }: ProjectRow) => ({
  id,
  slug,
  name,
  retention,
  quotas: effectiveQuotas(quotas),
  createdAt: createdAt.toISOString(),
})

export function getProject(ctx: IamContext): RouteHandler {
  return async (req) => {
    const project = await findProject(ctx.pool, await projectIdOf(ctx, req))
    if (!project) throw noSuchProject()
    return { status: 200, body: shown(project) }
  }
}

interface Change {
  name?: string
  retention?: Retention | null
  quotas?: Partial<Quotas>
}

export function updateProject(ctx: IamContext): RouteHandler {
  return async (req) => {
    const { name, retention, quotas } = req.body as Change
    if (quotas !== undefined && !req.identity.admin) {
      throw permissionDenied('admin_required', 'Only a platform administrator may change quotas.')
    }
    const projectId = await projectIdOf(ctx, req)
    const project = await mutate(ctx, async (tx) => {
      await lockProject(tx, projectId)
      const before = await findProject(tx, projectId)
      if (!before) throw noSuchProject()
      const after = {
        name: name ?? before.name,
        retention: retention === undefined ? before.retention : retention,
        quotas: { ...before.quotas, ...quotas },
      }
      await updateRow(tx, projectId, after)
      if (retention !== undefined) await publishRetention(tx, projectId, after.retention)
      const action = quotas === undefined ? 'project.updated' : 'project.quotas_changed'
      await audit(tx, req, { action, target: `project:${before.slug}`, projectId })
      return { ...before, ...after }
    })
    return { status: 200, body: shown(project) }
  }
}

/** The scheduler goes by it, for it knows which runs are old, and artifact for files without a run. */
function publishRetention(tx: Tx, projectId: string, retention: Retention | null): Promise<void> {
  const retentionJson = retention === null ? '' : JSON.stringify(retention)
  return appendEvents(tx, 'iam', [
    { topic: 'retention.changed', key: projectId, data: { projectId, workflow: '', retentionJson } },
  ])
}

/** From the commit on nobody can reach it. What is in it is removed by whoever owns it, told by the event. */
export function deleteProject(ctx: IamContext): RouteHandler {
  return async (req) => {
    const projectId = await projectIdOf(ctx, req)
    const slug = req.params.slug ?? ''
    await mutate(ctx, async (tx) => {
      if (!(await archiveProject(tx, projectId))) throw noSuchProject()
      await appendEvents(tx, 'iam', [{ topic: 'project.deleted', key: projectId, data: { projectId, slug } }])
      await noteRemoval(tx, projectId, slug)
      await audit(tx, req, { action: 'project.deleted', target: `project:${slug}`, projectId })
    })
    ctx.credentials.forgetProject(projectId)
    return { status: 204 }
  }
}
