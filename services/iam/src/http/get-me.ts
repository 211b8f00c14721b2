import { unauthenticated } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import type { IamContext } from '../context.js'
import { findMaker } from '../db/api-keys.js'
import { listProjectsOf } from '../db/projects.js'
import { findUser } from '../db/users.js'
import { keyIdOf } from './caller.js'

/** More than anyone has; a list with pages is at /api/v1/projects. */
const MAX_PROJECTS = 1000

export function getMe(ctx: IamContext): RouteHandler {
  return async ({ identity }) => {
    const keyId = keyIdOf(identity)
    const userId = keyId === undefined ? identity.userId : await findMaker(ctx.pool, keyId)
    const user = userId === undefined ? undefined : await findUser(ctx.pool, userId)
    if (!user) throw unauthenticated('invalid_token', 'The credential is no longer valid.')
    const shown = { id: user.id, email: user.email, name: user.name, admin: user.admin && keyId === undefined }
    if (keyId !== undefined) {
      const { projectId, project, role } = identity
      return { status: 200, body: { user: shown, projects: [{ id: projectId, slug: project, role }] } }
    }
    const rows = await listProjectsOf(ctx.pool, user.id, { beforeId: undefined, limit: MAX_PROJECTS })
    const projects = rows.map(({ id, slug, name, role }) => ({ id, slug, name, role }))
    return { status: 200, body: { user: shown, projects } }
  }
}
