import { IllegalTransitionError } from './illegal-transition-error.js'

export const RunStatus = {
  Queued: 'queued',
  Running: 'running',
  Paused: 'paused',
  Cancelling: 'cancelling',
  Succeeded: 'succeeded',
  Failed: 'failed',
  Cancelled: 'cancelled',
} as const
export type RunStatus = (typeof RunStatus)[keyof typeof RunStatus]

/**
 * Every legal change of a run's status. Retry alone reopens what has ended, and raises the generation; what succeeded is
 * reopened only by the dead letter of a task whose failure it outlived. Reopened, a run whose workflow has a limit is `queued`
 * until there is room for it.
 */
export const runTransitions: Record<RunStatus, readonly RunStatus[]> = {
  queued: ['running', 'paused', 'cancelling', 'cancelled', 'failed', 'succeeded'],
  running: ['paused', 'cancelling', 'succeeded', 'failed', 'cancelled'],
  paused: ['running', 'queued', 'cancelling', 'succeeded', 'failed', 'cancelled'],
  cancelling: ['cancelled', 'failed'],
  succeeded: ['running', 'queued'],
  failed: ['running', 'queued'],
  cancelled: ['running', 'queued'],
}

const ended: ReadonlySet<RunStatus> = new Set(['succeeded', 'failed', 'cancelled'])
export const runHasEnded = (status: RunStatus): boolean => ended.has(status)

export function assertRunTransition(runId: string, from: RunStatus, to: RunStatus): void {
  if (from !== to && !runTransitions[from].includes(to)) throw new IllegalTransitionError('run', runId, from, to)
}
