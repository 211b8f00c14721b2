import { isRetryable, retryDelayMs } from '@millrace/definition'
import type { LeaseProof } from './commands.js'
import type { EnginePlanTask } from './engine-plan.js'
import type { Failure } from './failure.js'
import { acceptsFailure } from './readiness.js'
import { taskIsLive } from './task-state.js'
import type { Transition } from './transition.js'

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
  transition: Transition,
  index: number,
  error: Failure,
  random: number,
  options: SettleOptions = {},
): boolean {
  const plan = transition.plan.tasks[index]
  const task = transition.task(index)
  const attempt = options.attempt ?? task.attempt
  const proof = {
    ...(options.guard ? { guard: options.guard } : {}),
    ...(options.fence ? { fence: true } : {}),
    attempt,
    attemptFailed: true,
  }
  const mayRetry = plan !== undefined && !options.final && attempt < task.maxAttempts && isRetryable(error, plan.retry)
  if (plan && mayRetry && (acceptsFailure(plan.when) || !transition.stopping)) {
    transition.moveTask(index, 'delayed', { error, ...proof })
    const delayMs = retryDelayMs(plan.retry, attempt, random, options.retryAfterMs)
    transition.addTimer({ kind: 'retry', taskIndex: index, delayMs })
    if (plan.queueTimeoutMs !== undefined) transition.dropTaskTimers(index, { keepTotal: true })
    return false
  }
  transition.requireExact()
  if (hasTimers(plan)) transition.dropTaskTimers(index)
  transition.moveTask(index, 'failed', { error, ...proof, ...outputOf(transition, index, options.output) })
  // Of a map its items have dead letters, not the map.
  if (plan?.uses !== 'map' && hasDeadLetter(error)) transition.deadLetter(index)
  if (plan?.onFailure !== 'continue') stopTheRest(transition)
  transition.askForRecheck()
  return true
}

/** What a task leaves behind that did not succeed. */
export function outputOf(transition: Transition, index: number, output: string | undefined) {
  if (output === undefined) return {}
  return { output, ...(transition.plan.namedOutputs.has(index) ? { parsedOutput: JSON.parse(output) } : {}) }
}

/** Whatever may stand while a worker has the task. It may be retried in the same run, which keeps its timers till it ends. */
export const hasTimers = (plan: Pick<EnginePlanTask, 'queueTimeoutMs' | 'totalTimeoutMs'> | undefined): boolean =>
  plan?.queueTimeoutMs !== undefined || plan?.totalTimeoutMs !== undefined

export const hasDeadLetter = (error: Failure): boolean => error.class !== 'rejected' && error.class !== 'cancelled'

/** After a failure that stops the run, what has not begun and does not accept the failure ends `skipped`. */
function stopTheRest(transition: Transition): void {
  transition.stopping = true
  for (const { index, when } of transition.plan.tasks) {
    const { status } = transition.task(index)
    if (acceptsFailure(when) || status === 'running') continue
    if (transition.isOpenMap(index)) {
      transition.changeMap(index, { ending: 'stop' })
      continue
    }
    if (status === 'pending' || status === 'delayed' || status === 'queued' || status === 'waiting') {
      if (taskIsLive(status)) transition.leaveQueue(index)
      if (status !== 'pending') transition.dropTaskTimers(index)
      transition.moveTask(index, 'skipped')
    }
  }
}
