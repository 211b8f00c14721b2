import { notFound, permissionDenied } from '@millrace/errors'
import type { CallContext } from '@millrace/grpc'
import { roleAllows } from '@millrace/identity'
import type { SessionOwner } from '../engine/session-registry.js'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An id that cannot be one names nothing. */
export function requireId(
  id: string,
  reason: 'run_not_found' | 'task_not_found' | 'project_not_found' | 'dead_letter_not_found',
): string {
  if (!uuid.test(id)) throw notFound(reason, `no such ${reason.split('_')[0]}`)
  return id.toLowerCase()
}

/** The service identity of the built-in worker: it leases and reports, and reads nothing. */
const WORKER_SERVICE = 'worker'

/** For which project a reader acts: a service says so, everybody else is bound by their token. */
export function readerProject(ctx: CallContext, asked: string): string {
  if (ctx.service !== undefined && ctx.service !== WORKER_SERVICE) return requireId(asked, 'project_not_found')
  if (!ctx.identity || !roleAllows(ctx.identity.role, 'viewer')) {
    throw permissionDenied('forbidden', 'reading runs needs the role viewer')
  }
  return ctx.identity.projectId
}

/** Whose worker calls. */
export function workerOf(ctx: CallContext): SessionOwner {
  if (ctx.service === WORKER_SERVICE) return { subject: `service:${WORKER_SERVICE}`, projectId: null }
  if (ctx.identity?.role !== 'worker') {
    throw permissionDenied('forbidden', 'workers need a key with the role worker')
  }
  const { subject, projectId } = ctx.identity
  return { subject, projectId }
}
