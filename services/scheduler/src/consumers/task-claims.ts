import type { EventOf } from '@millrace/events'
import type { AppContext } from '../context.js'
import { laneMetrics } from '../engine/metrics.js'
import { isId, submitResult } from '../engine/submit-result.js'

type Claim = EventOf<'task.completed' | 'task.failed'>

/**
 * Results on the events road. A claim that a scheduler put into the log in a worker's name has been applied; any other
 * is submitted like a report, and the lease makes a second arrival a no-op.
 */
export function onTaskClaims(ctx: AppContext): (events: Claim[]) => Promise<void> {
  return async (events) => {
    const claims = events.filter((event) => !event.applied)
    const outcomes = await Promise.all(claims.map((claim) => apply(ctx, claim)))
    const stale = outcomes.filter((outcome) => outcome !== 'applied').length
    if (stale > 0) laneMetrics.staleReports.inc(stale)
  }
}

async function apply(ctx: AppContext, claim: Claim) {
  const { taskId, runId, leaseId, sessionId, token, durationMs } = claim.data
  if (![taskId, runId, leaseId, sessionId].every(isId)) return 'stale'
  const told =
    claim.topic === 'task.completed'
      ? { succeeded: true, outputJson: claim.data.outputJson }
      : { succeeded: false, outputJson: '', error: claim.data.error }
  const workerId = claim.source.replace(/^worker:/, '')
  const report = { sessionId, workerId, durationMs: Number(durationMs), call: null, published: true }
  return await submitResult(ctx, { taskId, runId, token: Number(token), leaseId, sessionId, ...told }, report)
}
