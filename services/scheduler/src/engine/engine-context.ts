import type { Logger } from '@millrace/logger'
import type { BatchRows } from '../db/batch/clauses.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import type { Announce } from './announce.js'
import type { EvaluateElsewhere } from './costly-evaluations.js'
import type { Environment } from './environment.js'
import type { QueueLimits } from './limits/queue-limits.js'
import type { LongPolls } from './long-polls.js'
import type { MapItems } from './map-items.js'
import type { Outputs } from './outputs.js'
import type { Plans } from './plans.js'
import type { RunStates } from './run-states.js'
import type { Store } from './store.js'

/** A running task whose holder is to stop working on it. */
export interface StopRequest {
  readonly sessionId: string
  readonly taskId: string
  readonly leaseId: string
  readonly reason: string
}

export interface EngineContext {
  readonly store: Store
  /** A batch without rows, to be filled. */
  readonly emptyRows: () => BatchRows
  readonly env: Environment
  readonly logger: Logger
  readonly polls: LongPolls
  readonly plans: Plans
  /** Absent: outputs stay where they are, whatever their size. */
  readonly outputs: Outputs | undefined
  readonly states: RunStates
  readonly elsewhere: EvaluateElsewhere
  readonly mapItems: MapItems
  readonly queueLimits: QueueLimits
  readonly announce: Announce
  /** What a run of this plan that is created now gets from its queues, as JSON text. */
  readonly queueDefaults: (projectId: string, plan: EnginePlan) => string | null
  readonly handBack: (leases: readonly { taskId: string; leaseId: string; token: number }[]) => Promise<unknown>
}
