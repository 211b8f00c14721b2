import type { scheduler } from '@millrace/contracts'
import { crashPoint } from '@millrace/crash-point'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import { sleep } from '../engine/environment.js'
import { workerOf } from './caller.js'
import { toProtoLease } from './to-proto.js'

const MAX_LEASES = 500
const MAX_WAIT_MS = 30_000
/** Left of the caller's deadline for the way back. */
const MARGIN_MS = 250
/** Before an answer that is empty only because secrets cannot be had now: the worker would ask again at once. */
const PAUSE_MS = 200

export function leaseTasks(
  ctx: AppContext,
): UnaryHandler<scheduler.LeaseTasksRequest__Output, scheduler.LeaseTasksResponse> {
  return async (request, call) => {
    const session = await ctx.engine.sessions.authenticate(request.session, workerOf(call))
    if (request.hinted) ctx.engine.queued()
    if (request.hinted && request.max === 0) return { leases: [] }
    const max = Math.min(Math.max(request.max, 1), MAX_LEASES)
    const waitMs = Math.max(0, Math.min(request.waitMs, MAX_WAIT_MS, call.deadline - ctx.env.wallMs() - MARGIN_MS))
    const leases = await ctx.engine.dispatcher.lease(session, max, waitMs, [call.signal, call.draining])
    const reply = await ctx.replies.fill(session.id, leases)
    if (reply.heldBack && reply.leases.length === 0) await sleep(ctx.env, PAUSE_MS)
    if (reply.leases.length > 0) crashPoint('scheduler.lease.granted')
    return { leases: reply.leases.map(toProtoLease) }
  }
}
