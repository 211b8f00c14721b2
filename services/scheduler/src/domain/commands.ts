import type { MapEnding } from './effects.js'
import type { Failure } from './failure.js'
import type { OutputArtifact } from './large-output.js'
import type { ReusedTask } from './reuse.js'
import type { RunStatus } from './run-state.js'

/** Proof that a worker holds a lease; the statement that applies the command checks it against the row. */
export interface LeaseProof {
  readonly token: number
  readonly leaseId: string
  /** Who reports; a lease counts only from the session that was granted it. Absent when the engine itself speaks. */
  readonly sessionId?: string
}

export interface StartCommand {
  readonly kind: 'start'
  /** Wait, paused, until resumed. */
  readonly hold?: boolean
  /** Begin only then. */
  readonly delayMs?: number
  /** What a rerun takes over. */
  readonly reused?: readonly ReusedTask[]
}

/** A delayed run's time has come. */
export interface StartDueCommand {
  readonly kind: 'start-due'
  readonly timerId: number
}

/** There may be room for the run under its workflow's limit; whether there is, its row in the admission queue says. */
export interface AdmitCommand {
  readonly kind: 'admit'
  readonly inboxId?: number
}

export interface PauseCommand {
  readonly kind: 'pause'
  readonly inboxId?: number
}

export interface ResumeCommand {
  readonly kind: 'resume'
  readonly inboxId?: number
}

/** Reopens a run that failed or was cancelled: failed tasks again, what they held back becomes pending. */
export interface RetryCommand {
  readonly kind: 'retry'
  /** Only this task, or this item of a map; all that failed without it. */
  readonly taskId?: string
  /** JSON text that stands in for the task's `with`, as `replaceInput` gives it. */
  readonly input?: string
  /** Of another generation the run is left as it is: it was retried meanwhile. */
  readonly generation?: number
}

export interface SucceedCommand {
  readonly kind: 'succeed'
  readonly taskId: string
  readonly lease: LeaseProof
  /** JSON text. */
  readonly output: string | null
  /** A large output that has been written already. */
  readonly artifact?: OutputArtifact
}

export interface FailCommand {
  readonly kind: 'fail'
  readonly taskId: string
  readonly lease: LeaseProof
  readonly error: Failure
  /** In [0, 1): the jitter of a retry. */
  readonly random: number
  /** The peer asked not to be called again sooner. */
  readonly retryAfterMs?: number
}

/** The engine itself gives up on a running attempt: its time is over, or its worker was lost once too often. */
export interface ExpireCommand {
  readonly kind: 'expire'
  readonly taskId: string
  readonly lease: LeaseProof
  readonly error: Failure
  readonly random: number
  /** No further attempt, whatever the retry policy says. */
  readonly final: boolean
}

export interface RetryDueCommand {
  readonly kind: 'retry-due'
  readonly taskId: string
  readonly timerId: number
}

export interface CancelCommand {
  readonly kind: 'cancel'
  readonly reason: string
  /** The row of the run's inbox that held this command. */
  readonly inboxId?: number
}

export interface RunTimeoutCommand {
  readonly kind: 'run-timeout'
  readonly timerId: number
}

export interface CancelDeadlineCommand {
  readonly kind: 'cancel-deadline'
  readonly timerId: number
}

export interface SignalCommand {
  readonly kind: 'signal'
  readonly signalId: string
  readonly name: string
  /** JSON text. */
  readonly payload: string
  readonly inboxId?: number
}

export interface ApprovalCommand {
  readonly kind: 'approval'
  readonly taskId: string
  readonly approve: boolean
  readonly by: string
  readonly comment: string
  /** RFC 3339. */
  readonly at: string
}

/** A timer of one task is due. */
export interface TaskTimerCommand {
  readonly kind: 'wake' | 'task-timeout' | 'queue-timeout' | 'total-timeout'
  readonly taskId: string
  readonly timerId: number
}

/** An item of a map that is ending does not go on. */
export interface EndItemCommand {
  readonly kind: 'end-item'
  readonly taskId: string
}

/** The child of a waiting task's attempt exists. */
export interface ChildStartedCommand {
  readonly kind: 'child-started'
  readonly taskId: string
  readonly attempt: number
  readonly childRunId: string
  readonly timerId: number
}

/** No such child can be: its workflow is not there, or its input does not fit. */
export interface ChildRefusedCommand {
  readonly kind: 'child-refused'
  readonly taskId: string
  readonly attempt: number
  readonly error: Failure
  readonly random: number
  readonly timerId: number
}

/** The time to ask for a child came while the run was paused. */
export interface ChildHeldCommand {
  readonly kind: 'child-held'
  readonly taskId: string
  readonly attempt: number
  readonly timerId: number
}

/** A child run ended; written by its own last transaction. */
export interface ChildEndedCommand {
  readonly kind: 'child-ended'
  readonly taskId: string
  readonly attempt: number
  readonly childRunId: string
  readonly workflow: string
  readonly status: RunStatus
  /** JSON text. */
  readonly output: string | null
  readonly error: Failure | null
  readonly random: number
  readonly inboxId?: number
}

/** How the items of a map ended. */
export interface MapOutcome {
  readonly ending: MapEnding | null
  readonly total: number
  readonly succeeded: number
  readonly failed: number
  /** Of the failed child with the lowest index. */
  readonly firstError: { readonly index: number; readonly error: Failure } | null
  /** Their outputs by index as JSON text; null when that cannot be stored. */
  readonly output: string | null
}

/** The last item of a map has ended. */
export interface MapEndedCommand {
  readonly kind: 'map-ended'
  readonly taskId: string
  /** Which of the map's attempts ended. */
  readonly round: number
  readonly outcome: MapOutcome
  readonly inboxId?: number
}

/** Look again: harmless when nothing is to be done. Sent by the reconciler, and by the timer of what was put off. */
export interface AdvanceCommand {
  readonly kind: 'advance'
  readonly timerId?: number
}

export type Command =
  | ChildStartedCommand
  | ChildRefusedCommand
  | ChildHeldCommand
  | ChildEndedCommand
  | EndItemCommand
  | MapEndedCommand
  | SignalCommand
  | ApprovalCommand
  | TaskTimerCommand
  | StartCommand
  | StartDueCommand
  | AdmitCommand
  | PauseCommand
  | ResumeCommand
  | RetryCommand
  | SucceedCommand
  | FailCommand
  | ExpireCommand
  | RetryDueCommand
  | CancelCommand
  | RunTimeoutCommand
  | CancelDeadlineCommand
  | AdvanceCommand
