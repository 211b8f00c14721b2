import type { LeaseProof } from './commands.js'
import type { Failure, RunFailure } from './failure.js'
import type { OutputArtifact } from './large-output.js'
import type { AdmissionTerms } from './limits/run-admission.js'
import type { TaskLimit } from './limits/task-limits.js'
import type { RunStatus } from './run-state.js'
import type { TaskStatus } from './task-state.js'

/** The final shape of one task row after a decision; one for each task and decision. */
export interface TaskChange {
  readonly index: number
  readonly status: TaskStatus
  readonly attempt: number
  readonly maxAttempts: number
  readonly error: Failure | null
  /** An attempt failed: its error is kept, whatever becomes of the task. */
  readonly attemptFailed?: boolean
  /** JSON text; undefined = leave as it is. */
  readonly output?: string | null
  /** The output has been written as this artifact. */
  readonly artifact?: OutputArtifact
  /** The resolved `with` as JSON text, when it had expressions. */
  readonly input?: string
  /** The task of another run whose input and output become this one's. */
  readonly copyFrom?: string
  /** The row must be running under this lease, else the whole run's decision is void. */
  readonly guard?: LeaseProof
  /** What a worker may have it under; undefined = nothing, or as it was. */
  readonly limits?: readonly TaskLimit[]
  /** Raise the token so that no report of an earlier lease is accepted. */
  readonly fence?: boolean
}

export type TimerKind =
  | 'start'
  | 'retry'
  | 'run-timeout'
  | 'cancel-deadline'
  | 'wake'
  | 'task-timeout'
  | 'queue-timeout'
  | 'total-timeout'
  | 'call-child'
  | 'advance'

export interface NewTimer {
  readonly kind: TimerKind
  readonly taskIndex: number | null
  readonly delayMs: number
}

export interface RunChange {
  readonly status: RunStatus
  readonly reason: string | null
  /** JSON text; undefined = leave as it is. */
  readonly output?: string | null
  readonly error?: RunFailure | null
  /** This decision begins the run. */
  readonly started: boolean
  /** This decision begins a new generation of a run that had ended. */
  readonly reopened: boolean
  /** This decision ends the run's generation. */
  readonly ended: boolean
}

/** A signal that came before a task asked for it. */
export interface KeptSignal {
  readonly id: string
  readonly name: string
  /** JSON text. */
  readonly payload: string
}

/** The timers of a task are void; with `keepTotal` all but the one that bounds all its attempts together. */
export interface DroppedTimers {
  readonly index: number
  readonly keepTotal: boolean
}

/** Why no further item of a map begins. With `stop`, what runs may finish; else it is asked to stop. */
export type MapEnding = 'stop' | 'cancel' | 'timeout' | 'total-timeout'

/** A failed item of a map that is tried again. */
export interface ChildRetry {
  readonly taskId: string
  /** JSON text that stands in for its `with`, when it has anything of its own. */
  readonly input?: string
}

/** What becomes of a map's group of children: one for each map and decision. */
export interface MapChange {
  readonly index: number
  /** The map begins, or is taken up again: then it keeps the items that it began with. */
  readonly opened?: { readonly items: string; readonly total: number; readonly maxParallel: number }
  readonly ending?: MapEnding
  readonly paused?: boolean
  readonly retried?: readonly ChildRetry[]
}

export interface Effects {
  readonly maps: readonly MapChange[]
  readonly run: RunChange | null
  readonly tasks: readonly TaskChange[]
  readonly newTimers: readonly NewTimer[]
  readonly firedTimers: readonly number[]
  /** Rows of the run's inbox that are done with. */
  readonly readInbox: readonly number[]
  /** Indices of tasks that finally failed. */
  readonly deadLetters: readonly number[]
  /** Indices of running tasks whose holders are to be asked to stop. */
  readonly stopRequests: readonly number[]
  /** Indices of tasks that left the queue without having been leased. */
  readonly unqueued: readonly number[]
  /** Indices of tasks that were ready already and go (back) into the queue. */
  readonly requeued: readonly number[]
  /** Retries wait until the run is resumed. */
  readonly dropRetryTimers: boolean
  /** Indices of tasks whose own timers are void. */
  readonly taskTimersDropped: readonly DroppedTimers[]
  /** Children that tasks stand for. */
  readonly children: readonly { index: number; runId: string }[]
  /** Children that nobody waits for any more. */
  readonly abandonedRuns: readonly { index: number; attempt: number }[]
  /** Approvals that are asked for, with the task's resolved `with`. */
  readonly approvals: readonly { index: number; input: string }[]
  readonly keptSignals: readonly KeptSignal[]
  /** How it stands with its workflow's limit. */
  readonly admissionChange: { readonly entering: AdmissionTerms | null; readonly leaving: boolean }
  /** Ids of kept signals that a task has taken. */
  readonly takenSignals: readonly string[]
}
