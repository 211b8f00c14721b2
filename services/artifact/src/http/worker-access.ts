import { permissionDenied } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import type { Identity } from '@millrace/identity'
import { validate as isUuid } from 'uuid'
import type { AppContext } from '../context.js'
import { isScheduler, schedulerProject } from './scheduler-access.js'

export const SESSION_HEADER = 'x-millrace-session'

const leaseRequired = () =>
  permissionDenied('lease_required', 'A worker may only touch files of runs in which it holds a lease.')

/** The built-in worker serves all projects; a worker's key serves its own. */
export const isShared = (identity: Identity): boolean => identity.subject.startsWith('service:')

/**
 * The project to act in. People act in theirs; a worker in that of a run in which its session holds a live lease, which
 * must be its own project too.
 */
export async function projectFor(ctx: AppContext, req: RouteRequest, runId: string | null): Promise<string> {
  const { identity } = req
  if (isScheduler(req)) return schedulerProject(req)
  if (identity.role !== 'worker') return identity.projectId
  const sessionId = req.headers[SESSION_HEADER]
  if (runId === null || typeof sessionId !== 'string' || !isUuid(sessionId)) throw leaseRequired()
  const projectId = await ctx.runs.projectOfLease({ sessionId, runId, subject: identity.subject })
  if (projectId === undefined) throw leaseRequired()
  if (projectId !== identity.projectId && !isShared(identity)) throw leaseRequired()
  return projectId
}
