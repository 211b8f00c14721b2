import { scheduler } from '@millrace/contracts'
import type { Span } from '@millrace/telemetry'
import type { Lease } from '../executors/executor.js'
import { describeFailure, type Failure, retryAfterOf } from './describe-failure.js'
import type { Mask } from './masking.js'
import { serialiseOutput } from './output.js'

const { Outcome } = scheduler

function fenced(lease: Lease) {
  return { taskId: lease.taskId, runId: lease.runId, token: lease.token, leaseId: lease.leaseId }
}

/** An output that cannot be sent makes the attempt fail, class `validation`. */
export function succeeded(lease: Lease, output: unknown, mask: Mask): scheduler.TaskResult {
  try {
    return { ...fenced(lease), outcome: Outcome.OUTCOME_SUCCEEDED, outputJson: serialiseOutput(output, mask) }
  } catch (error) {
    return failed(lease, error, mask)
  }
}

export function failed(lease: Lease, error: unknown, mask: Mask): scheduler.TaskResult & { error: Failure } {
  const retryAfterMs = retryAfterOf(error)
  return {
    ...fenced(lease),
    outcome: Outcome.OUTCOME_FAILED,
    error: describeFailure(error, mask),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }
}

/** With `wait` the task is left alone for a while. */
export function handedBack(lease: Lease, wait?: { retryAfterMs: number; message: string }): scheduler.TaskResult {
  const result = { ...fenced(lease), outcome: Outcome.OUTCOME_HANDED_BACK }
  return wait ? { ...result, retryAfterMs: wait.retryAfterMs, handBackReason: wait.message } : result
}

export function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext()
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}
