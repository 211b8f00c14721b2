import { notFound, permissionDenied } from '@millrace/errors'
import type { CallContext } from '@millrace/grpc'
import { roleAllows } from '@millrace/identity'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An id that cannot be one names nothing. */
export function requireId(
  id: string,
  reason: 'run_not_found' | 'task_not_found' | 'project_not_found' | 'letter_not_found',
): string {
  if (!uuid.test(id)) throw notFound(reason, `no such ${reason.split('_')[0]}`)
  return id.toLowerCase()
}

/** For which project a reader acts: a service says so, everybody else is bound by their token. */
export function readerProject(ctx: CallContext, asked: string): string {
  if (ctx.service !== undefined) return requireId(asked, 'project_not_found')
  if (!ctx.identity || !roleAllows(ctx.identity.role, 'viewer')) {
    throw permissionDenied('forbidden', 'reading runs needs the role viewer')
  }
  return ctx.identity.projectId
}

/** For which project a worker works: null for the built-in one, which serves all. */
export function workerProject(ctx: CallContext): string | null {
  if (ctx.service !== undefined) return null
  if (ctx.identity?.role !== 'worker') {
    throw permissionDenied('forbidden', 'workers need a key with the role worker')
  }
  return ctx.identity.projectId
}
