import { unauthenticated } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import type { Identity } from '@millrace/identity'
import type { IamContext } from '../context.js'
import { findMaker } from '../db/api-keys.js'
import { listProjectsOf } from '../db/projects.js'
import { findUser } from '../db/users.js'
import { keyIdOf } from './caller.js'

/** More than anyone has; a list with pages is at /api/v1/projects. */
const MAX_PROJECTS = 1000

const noLonger = () => unauthenticated('invalid_token', 'The credential is no longer valid.')

/** A key acts for its project: of the person who made it, it learns the id and nothing more. */
async function keyView(ctx: IamContext, { projectId, project, role }: Identity, keyId: string) {
  const maker = await findMaker(ctx.pool, keyId)
  if (maker === undefined) throw noLonger()
  return { user: { id: maker, admin: false }, key: { id: keyId }, projects: [{ id: projectId, slug: project, role }] }
}

export function getMe(ctx: IamContext): RouteHandler {
  return async ({ identity }) => {
    const keyId = keyIdOf(identity)
    if (keyId !== undefined) return { status: 200, body: await keyView(ctx, identity, keyId) }
    const user = identity.userId === undefined ? undefined : await findUser(ctx.pool, identity.userId)
    if (!user) throw noLonger()
    const shown = {
      id: user.id,
      email: user.email,
      name: user.name,
      emailVerified: user.emailVerified,
      admin: user.admin,
    }
    const rows = await listProjectsOf(ctx.pool, user.id, { beforeId: undefined, limit: MAX_PROJECTS })
    const projects = rows.map(({ id, slug, name, role }) => ({ id, slug, name, role }))
    return { status: 200, body: { user: shown, projects } }
  }
}
