import type { KeptSignal } from './effects.js'
import type { Failure } from './failure.js'
import type { RunOrigin } from './origin.js'
import type { RunStatus } from './run-state.js'
import type { TaskStatus } from './task-state.js'

/** Not in the admission queue, or its place was given up; waiting for room; under way and counted. */
export type AdmissionState = 'none' | 'waiting' | 'admitted'

/** What a run is, as far as decisions need it. Plain data; `decide` never changes one in place. */
export interface RunState {
  readonly id: string
  readonly projectId: string
  readonly workflow: string
  readonly version: number
  readonly versionId: string
  readonly rev: number
  readonly generation: number
  readonly status: RunStatus
  /** Its tasks have begun: false for a run on hold or before its time. */
  readonly started: boolean
  readonly reason: string | null
  readonly priority: number
  readonly labels: Readonly<Record<string, string>>
  readonly input: unknown
  readonly createdAt: string
  /** Who or what asked for it. */
  readonly requestedBy: string
  readonly traceparent: string | null
  /** Defaults of its queues at its creation, as JSON text; they belong to the run's plan. */
  readonly queueDefaults: string | null
  readonly origin: RunOrigin | null
  /** Some output in `tasks` is too large to be kept in memory for long. */
  readonly heavy: boolean
  /** In the order of the plan. */
  readonly tasks: readonly TaskState[]
  readonly indexById: ReadonlyMap<string, number>
  /** Where it waits for its workflow's limit; as the rows say where `exact`, else not known. */
  readonly admission: AdmissionState
  /** Runs of which its waiting tasks stand for one, and which have not ended; as the rows say where `exact`, else not known. */
  readonly openChildren?: ReadonlySet<string>
  /** Oldest first. */
  readonly signals: readonly KeptSignal[]
  /**
   * Whether `queued` and `running` are told apart in `tasks`. Lease fields are never cached, so a state from the cache
   * has `exact: false` and shows both as `queued`; only one read under the row locks is exact.
   */
  readonly exact: boolean
}

export interface TaskState {
  readonly id: string
  readonly status: TaskStatus
  /** Attempts begun so far; 0 until the task first becomes ready. */
  readonly attempt: number
  readonly maxAttempts: number
  /** The resolved `with` as JSON text, kept only while the task waits. */
  readonly input?: string
  /** Parsed; kept only for tasks that some expression names. */
  readonly output?: unknown
  readonly error: Failure | null
}
