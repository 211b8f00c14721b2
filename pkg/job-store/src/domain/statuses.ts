export const jobStatuses = [
  'pending',
  'delayed',
  'waiting',
  'queued',
  'running',
  'succeeded',
  'failed',
  'skipped',
  'cancelled',
] as const
export type JobStatus = (typeof jobStatuses)[number]

export const runStatuses = ['queued', 'running', 'paused', 'cancelling', 'succeeded', 'failed', 'cancelled'] as const
export type RunStatus = (typeof runStatuses)[number]

/** Outcome of one execution; `handed_back` and `lost_worker`: the lease was given back or lost, and used up no attempt. */
export type AttemptStatus = 'running' | 'succeeded' | 'failed' | 'cancelled' | 'handed_back' | 'lost_worker'

/** Whether the scheduler counted it. */
export const usesUpAttempt = (status: AttemptStatus): boolean => status !== 'handed_back' && status !== 'lost_worker'

const endedJob: ReadonlySet<string> = new Set<JobStatus>(['succeeded', 'failed', 'skipped', 'cancelled'])
const endedRun: ReadonlySet<string> = new Set<RunStatus>(['succeeded', 'failed', 'cancelled'])

/** Ended for now: a retry may reopen `failed` and `cancelled`. */
export const jobHasEnded = (status: string | null): boolean => status !== null && endedJob.has(status)
export const runHasEnded = (status: string | null): boolean => status !== null && endedRun.has(status)

export const logLevels = ['debug', 'info', 'warn', 'error'] as const
export type LogLevel = (typeof logLevels)[number]
