import type { scheduler } from '@millrace/contracts'
import { crashPoint } from '@millrace/crash-point'
import { tooLarge } from '@millrace/errors'
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
/** Fifty thousand in one message held up everybody else's for more than a second. */
const MAX_RESULTS = 1_000
const MAX_WAIT_MS = 120_000

export function reportResults(
  ctx: AppContext,
): UnaryHandler<scheduler.ReportResultsRequest__Output, scheduler.ReportResultsResponse> {
  return async (request, caller) => {
    crashPoint('scheduler.report.received')
    const session = await ctx.engine.sessions.authenticate(request.session, workerOf(caller))
    if (request.results.length > MAX_RESULTS)
      throw tooLarge('batch_too_large', `A report has at most ${MAX_RESULTS} results.`)
    const poll = ctx.engine.polls.open(session, Math.min(Math.max(request.want, 0), MAX_WANT), request.results.length)
    try {
      const over = handBack(ctx, session, request.results)
      const apply = (result: scheduler.TaskResult__Output) =>
        (isHandedBack(result)
          ? over.then((leaseIds): ShardOutcome => (leaseIds.has(result.leaseId) ? 'applied' : 'stale'))
          : applyResult(ctx, session, poll, result)
        ).finally(() => {
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

const isHandedBack = ({ outcome }: scheduler.TaskResult__Output): boolean => outcome === 'OUTCOME_HANDED_BACK'

/** All of a report by one statement, and those that are to be left alone for a while by another. Gives the leases that are over. */
async function handBack(
  ctx: AppContext,
  session: SessionFacts,
  results: readonly scheduler.TaskResult__Output[],
): Promise<ReadonlySet<string>> {
  const given = results.filter((result) => isHandedBack(result) && areIds(result))
  // Each lease once, however often it is named.
  const held = [...new Map(given.map((result) => [result.leaseId, result])).values()].map((result): HeldTask => {
    const { taskId, leaseId, token } = result
    return { taskId, leaseId, token, sessionId: session.id, wait: waitOf(result), keepsPlace: true }
  })
  const groups = [held.filter(({ wait }) => !wait), held.filter(({ wait }) => wait)]
  const over = await Promise.all(groups.map(async (some) => (some.length > 0 ? ctx.engine.handBack(some) : noLeases)))
  return new Set(over.flatMap((leaseIds) => [...leaseIds]))
}

const noLeases: ReadonlySet<string> = new Set()

const areIds = ({ taskId, runId, leaseId }: scheduler.TaskResult__Output): boolean =>
  [taskId, runId, leaseId].every(isId)

async function applyResult(
  ctx: AppContext,
  session: SessionFacts,
  poll: LongPoll,
  result: scheduler.TaskResult__Output,
): Promise<ShardOutcome> {
  if (!areIds(result)) return 'stale'
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
