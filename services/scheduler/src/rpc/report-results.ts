import type { scheduler } from '@millrace/contracts'
import { crashPoint } from '@millrace/crash-point'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../context.js'
import type { HeldTask } from '../db/requeue-tasks.js'
import type { LongPoll, SessionFacts } from '../engine/long-polls.js'
import { shardMetrics } from '../engine/metrics.js'
import type { ShardOutcome } from '../engine/shard-item.js'
import { isId, submitResult } from '../engine/submit-result.js'
import { workerOf } from './caller.js'
import { toProtoLease } from './to-proto.js'

const MAX_WANT = 500
const MAX_WAIT_MS = 120_000

export function reportResults(
  ctx: AppContext,
): UnaryHandler<scheduler.ReportResultsRequest__Output, scheduler.ReportResultsResponse> {
  return async (request, caller) => {
    crashPoint('scheduler.report.received')
    const session = await ctx.engine.sessions.authenticate(request.session, workerOf(caller))
    const poll = ctx.engine.polls.open(session, Math.min(Math.max(request.want, 0), MAX_WANT), request.results.length)
    try {
      const apply = (result: scheduler.TaskResult__Output) =>
        applyResult(ctx, session, poll, result).finally(() => {
          poll.undecided -= 1
        })
      const outcomes = await Promise.all(request.results.map(apply))
      const stale = outcomes.filter((outcome) => outcome !== 'applied').length
      if (stale > 0) shardMetrics.staleReports.inc(stale)
      const verdicts = outcomes.map((outcome) => (outcome === 'applied' ? 'VERDICT_ACCEPTED' : 'VERDICT_STALE'))
      const { leases } = await ctx.replies.fill(session.id, ctx.engine.dispatcher.answer(poll))
      crashPoint('scheduler.report.decided')
      return { verdicts, leases: leases.map(toProtoLease) }
    } finally {
      // After a failure the leases stay pending, for another poll of the worker.
      if (poll.open) ctx.engine.polls.abandon(poll)
    }
  }
}

async function applyResult(
  ctx: AppContext,
  session: SessionFacts,
  poll: LongPoll,
  result: scheduler.TaskResult__Output,
): Promise<ShardOutcome> {
  const { taskId, runId, leaseId, token } = result
  if (![taskId, runId, leaseId].every(isId)) return 'stale'
  if (result.outcome === 'OUTCOME_HANDED_BACK') {
    const given = await ctx.engine.handBack([{ taskId, leaseId, token, sessionId: session.id, wait: waitOf(result) }])
    return given > 0 ? 'applied' : 'stale'
  }
  const { id: sessionId, workerId } = session
  const report = { sessionId, workerId, durationMs: result.durationMs, poll }
  const succeeded = result.outcome === 'OUTCOME_SUCCEEDED'
  return await submitResult(ctx, { ...result, succeeded, sessionId }, report)
}

/** A worker whose circuit to the task's peer is open says when to come back; never so long that a wrong one would hurt. */
function waitOf({ retryAfterMs, handBackReason }: scheduler.TaskResult__Output): HeldTask['wait'] {
  if (!(retryAfterMs > 0)) return undefined
  return { ms: Math.min(retryAfterMs, MAX_WAIT_MS), detail: handBackReason.replaceAll('\0', '').slice(0, 500) }
}
