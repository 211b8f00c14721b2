import type { Bound } from '../db/bound-operations.js'
import type {
  lazyControl,
  lazySessions,
  lockedOperations,
  operations,
  pooledRuns,
  runReads,
} from '../db/store-operations.js'

type Operations = typeof operations

export type RunReads = Bound<typeof runReads>

/** The locked path: everything between the first lock and the commit. */
export type RunTransaction = Bound<typeof lockedOperations>

export type RunStore = Bound<Operations['runs'] & typeof pooledRuns> & {
  readonly transaction: <T>(work: (tx: RunTransaction) => Promise<T>) => Promise<T>
}
export type LeaseStore = Bound<Operations['leases']>
export type LimitStore = Bound<Operations['limits']>
export type SessionStore = Bound<Operations['sessions'] & typeof lazySessions>
export type ControlStore = Bound<Operations['control'] & typeof lazyControl>
export type DueWorkStore = Bound<Operations['dueWork']>
export type TimerStore = Bound<Operations['timers']>
export type ChildStore = Bound<Operations['childRunRequests']>
export type InboxStore = Bound<Operations['inbox']>
export type ReconcileStore = Bound<Operations['reconcile']>
export type MapStore = Bound<Operations['maps']>

/**
 * All that the engine asks of its database: the operations of `db/`, bound to their pools. Tests put a model in its
 * place, and check the model against PostgreSQL operation by operation.
 */
export interface Store
  extends RunStore,
    LeaseStore,
    LimitStore,
    SessionStore,
    ControlStore,
    DueWorkStore,
    TimerStore,
    ChildStore,
    InboxStore,
    ReconcileStore,
    MapStore {}
