import type { Logger } from '@millrace/logger'
import type { ParkedKey, SlotKey } from '../db/limits/slots.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import type { Calls } from './calls.js'
import type { Environment } from './environment.js'
import type { QueueLimits } from './limits/queue-limits.js'
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

export interface QueuedTask {
  readonly runId: string
  readonly projectId: string
  readonly taskId: string
  readonly queue: string
  readonly uses: string
}

/** What happens beside the rows once a write has committed. All of it is a hint; polls are the truth. */
export interface AfterWrite {
  /** These runs or their tasks changed. */
  changed(runIds: Iterable<string>): void
  /** Tasks were put into the queue. */
  queued(): void
  /** These tasks wait in the queue; asked for only where somebody is told of them. */
  scheduled(tasks: () => readonly QueuedTask[]): void
  /** Limited tasks were put into the queue, or may go on. */
  queuedLimited(): void
  /** Tasks were parked under these keys. */
  parked(keys: readonly ParkedKey[]): void
  /** Attempts or runs gave back what they held under these keys, or stand in line there. */
  freed(keys: readonly SlotKey[]): void
  /** Timers were set that may be due soon. */
  timersSet(): void
  /** These runs have something in their inbox. */
  inbox(runIds: readonly string[]): void
  /** Maps have children to be made or ended. */
  maps(): void
  stop(requests: readonly StopRequest[]): void
  /** Outputs were written that are to be moved to where artifacts lie. */
  outputs(): void
  /** Events were written. */
  told(): void
}

export interface EngineContext {
  readonly store: Store
  readonly env: Environment
  readonly logger: Logger
  readonly calls: Calls
  readonly plans: Plans
  /** Absent: outputs stay where they are, whatever their size. */
  readonly outputs: Outputs | undefined
  readonly states: RunStates
  readonly mapItems: MapItems
  readonly queueLimits: QueueLimits
  readonly after: AfterWrite
  /** What a run of this plan that is born now gets from its queues, as JSON text. */
  readonly queueDefaults: (projectId: string, plan: EnginePlan) => string | null
  readonly handBack: (leases: readonly { taskId: string; leaseId: string; token: number }[]) => Promise<number>
}
