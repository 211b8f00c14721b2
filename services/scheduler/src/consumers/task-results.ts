import type { EventOf } from '@millrace/events'
import type { AppContext } from '../context.js'
import { shardMetrics } from '../engine/metrics.js'
import { isId, submitResult } from '../engine/submit-result.js'

type ReportedEvent = EventOf<'task.completed' | 'task.failed'>

/**
 * Results on the Kafka transport. A reported result that a scheduler published in a worker's name has been applied; any other
 * is submitted like a report, and the lease makes a second arrival a no-op.
 */
export function onTaskResults(ctx: AppContext): (events: ReportedEvent[]) => Promise<void> {
  return async (events) => {
    const claims = events.filter((event) => !event.applied)
    const outcomes = await Promise.all(claims.map((claim) => apply(ctx, claim)))
    const stale = outcomes.filter((outcome) => outcome !== 'applied').length
    if (stale > 0) shardMetrics.staleReports.inc(stale)
  }
}

async function apply(ctx: AppContext, claim: ReportedEvent) {
  const { taskId, runId, leaseId, sessionId, token, durationMs } = claim.data
  if (![taskId, runId, leaseId, sessionId].every(isId)) return 'stale'
  const outcome =
    claim.topic === 'task.completed'
      ? { succeeded: true, outputJson: claim.data.outputJson }
      : { succeeded: false, outputJson: '', error: claim.data.error }
  const workerId = claim.source.replace(/^worker:/, '')
  const report = { sessionId, workerId, durationMs: Number(durationMs), poll: null, published: true }
  return await submitResult(ctx, { taskId, runId, token: Number(token), leaseId, sessionId, ...outcome }, report)
}
