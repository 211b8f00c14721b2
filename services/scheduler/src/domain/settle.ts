import { isRetryable, retryDelayMs } from '@millrace/definition'
import type { LeaseProof } from './commands.js'
import type { Draft } from './draft.js'
import type { EnginePlanTask } from './engine-plan.js'
import type { Failure } from './failure.js'
import { acceptsFailure } from './readiness.js'
import { taskIsLive } from './task-state.js'

interface SettleOptions {
  readonly guard?: LeaseProof
  readonly fence?: boolean
  readonly attempt?: number
  readonly final?: boolean
  readonly retryAfterMs?: number
  /** What a task leaves behind although it failed, as JSON text. */
  readonly output?: string
}

/** An attempt failed: the task waits for its next attempt, or finally fails. True when it finally failed. */
export function settleFailure(
  draft: Draft,
  index: number,
  error: Failure,
  random: number,
  options: SettleOptions = {},
): boolean {
  const plan = draft.plan.tasks[index]
  const task = draft.task(index)
  const attempt = options.attempt ?? task.attempt
  const proof = {
    ...(options.guard ? { guard: options.guard } : {}),
    ...(options.fence ? { fence: true } : {}),
    attempt,
    attemptFailed: true,
  }
  const mayRetry = plan !== undefined && !options.final && attempt < task.maxAttempts && isRetryable(error, plan.retry)
  if (plan && mayRetry && (acceptsFailure(plan.when) || !draft.stopping)) {
    draft.moveTask(index, 'delayed', { error, ...proof })
    const delayMs = retryDelayMs(plan.retry, attempt, random, options.retryAfterMs)
    draft.addTimer({ kind: 'retry', taskIndex: index, delayMs })
    if (plan.queueTimeoutMs !== undefined) draft.dropTaskTimers(index, { keepTotal: true })
    return false
  }
  draft.requireExact()
  if (hasTimers(plan)) draft.dropTaskTimers(index)
  draft.moveTask(index, 'failed', { error, ...proof, ...outputOf(draft, index, options.output) })
  // Of a map its items have dead letters, not the map.
  if (plan?.uses !== 'map' && hasDeadLetter(error)) draft.deadLetter(index)
  if (plan?.onFailure !== 'continue') stopTheRest(draft)
  draft.lookEverywhere()
  return true
}

function outputOf(draft: Draft, index: number, output: string | undefined) {
  if (output === undefined) return {}
  return { output, ...(draft.plan.namedOutputs.has(index) ? { parsedOutput: JSON.parse(output) } : {}) }
}

/** Whatever may stand while a worker has the task. It may be retried in the same run, which keeps its timers till it ends. */
export const hasTimers = (plan: Pick<EnginePlanTask, 'queueTimeoutMs' | 'totalTimeoutMs'> | undefined): boolean =>
  plan?.queueTimeoutMs !== undefined || plan?.totalTimeoutMs !== undefined

export const hasDeadLetter = (error: Failure): boolean => error.class !== 'rejected' && error.class !== 'cancelled'

/** After a failure that stops the run, what has not begun and does not accept the failure ends `skipped`. */
function stopTheRest(draft: Draft): void {
  draft.stopping = true
  for (const { index, when } of draft.plan.tasks) {
    const { status } = draft.task(index)
    if (acceptsFailure(when) || status === 'running') continue
    if (draft.isOpenMap(index)) {
      draft.changeMap(index, { ending: 'stop' })
      continue
    }
    if (status === 'pending' || status === 'delayed' || status === 'queued' || status === 'waiting') {
      if (taskIsLive(status)) draft.leaveQueue(index)
      if (status !== 'pending') draft.dropTaskTimers(index)
      draft.moveTask(index, 'skipped')
    }
  }
}
