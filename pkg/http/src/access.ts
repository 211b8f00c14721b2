import { TLSSocket } from 'node:tls'
import { notFound, permissionDenied, unauthenticated } from '@millrace/errors'
import {
  IDENTITY_HEADER,
  type Identity,
  type IdentityVerifier,
  isHeldBy,
  isServiceName,
  roleAllows,
} from '@millrace/identity'
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
  const identity = await verifier.verify(header, { service, method: req.method, target: req.originalUrl })
  requireHolder(req, identity)
  return identity
}

/** Under TLS a service's name is shown by its own certificate, and everybody else's identity comes by the gateway. */
function requireHolder({ socket }: express.Request, { subject }: Identity): void {
  if (!(socket instanceof TLSSocket)) return
  const [kind, name] = subject.split(':')
  const holder = kind === 'service' && isServiceName(name) ? name : 'gateway'
  if (!isHeldBy(socket.getPeerCertificate(), holder)) {
    throw unauthenticated('unauthenticated', `The caller has no certificate of ${holder}.`)
  }
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
