import { notFound, permissionDenied, unauthenticated } from '@millrace/errors'
import { IDENTITY_HEADER, type Identity, type IdentityVerifier, roleAllows } from '@millrace/identity'
import type { Route } from '@millrace/routes'
import type express from 'express'

export async function authenticate(
  req: express.Request,
  verifier: Pick<IdentityVerifier, 'verify'>,
  service: string,
): Promise<Identity> {
  const header = req.headers[IDENTITY_HEADER]
  if (typeof header !== 'string' || header === '') {
    throw unauthenticated('unauthenticated', 'Authentication is required.')
  }
  return verifier.verify(header, { service, method: req.method, target: req.originalUrl })
}

export function authorise(route: Route, identity: Identity, params: Record<string, string>): void {
  const { access } = route
  if (access === 'open' || access === 'user') return
  if (access === 'admin') {
    if (!identity.admin) throw permissionDenied('admin_required', 'Only a platform administrator may do this.')
    return
  }
  // The role is the one held in identity.project; it says nothing about another project named in the path.
  if (route.projectParam !== undefined && params[route.projectParam] !== identity.project) {
    throw notFound('project_not_found', 'There is no such project.')
  }
  if (route.workers && identity.role === 'worker') return
  if (route.admins && identity.admin) return
  if (!roleAllows(identity.role, access)) {
    throw permissionDenied('role_required', `This needs the role ${access} in the project.`)
  }
}
