import { permissionDenied } from '@millrace/errors'
import { type Identity, roleAllows } from '@millrace/identity'
import type { RouteMatch } from '@millrace/routes'
import { type Credential, identityIn, identityWithoutProject, noSuchProject } from './credential.js'

/**
 * Who the caller is on this route, or an AppError that says why not. A path outside the table needs an identity and
 * nothing more: what answers there is a 404.
 */
export function authorise(match: RouteMatch | undefined, credential: Credential, header?: string): Identity {
  const fromPath = match?.route.projectParam === undefined ? undefined : match.params[match.route.projectParam]
  const slug = fromPath ?? (header === undefined || header === '' ? undefined : header)
  const identity = identityIn(credential, slug)
  if (!identity) {
    const outsider = administratorOf(match, credential, fromPath)
    if (outsider) return outsider
    if (slug !== undefined || credential.kind === 'key' || needsProject(match)) throw noSuchProject()
    const bare = identityWithoutProject(credential)
    assertAccess(match, bare)
    return bare
  }
  assertAccess(match, identity)
  return identity
}

/** An administrator who is not a member: the project is known by its slug alone, and whether it exists is the handler's to find. */
function administratorOf(
  match: RouteMatch | undefined,
  credential: Credential,
  slug: string | undefined,
): Identity | undefined {
  if (!match?.route.admins || slug === undefined || credential.kind !== 'user' || !credential.admin) return undefined
  return { ...identityWithoutProject(credential), project: slug }
}

function needsProject(match: RouteMatch | undefined): boolean {
  const access = match?.route.access
  return access !== undefined && access !== 'open' && access !== 'user' && access !== 'admin'
}

function assertAccess(match: RouteMatch | undefined, identity: Identity): void {
  if (!match) return
  const { access, workers, admins } = match.route
  if (access === 'open' || access === 'user') return
  if (access === 'admin') {
    if (identity.admin) return
    throw permissionDenied('admin_required', 'Only a platform administrator may do this.')
  }
  if (admins && identity.admin) return
  if (workers && identity.role === 'worker') return
  if (roleAllows(identity.role, access)) return
  throw permissionDenied('role_required', `This needs the role ${access} in the project.`)
}
