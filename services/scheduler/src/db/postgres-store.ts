import { around } from '@millrace/crash-point'
import { withTransaction } from '@millrace/postgres'
import type { Store } from '../engine/store.js'
import { bind } from './bound-operations.js'
import type { SchedulerPools } from './pools.js'
import { lazyControl, lazySessions, lockedOperations, operations, pooledRuns } from './store-operations.js'

export function createPostgresStore(pools: SchedulerPools): Store {
  const { pool, lazyPool } = pools
  const { runs, leases, limits, sessions, control, dueWork, timers, childRunRequests, inbox, reconcile, maps } =
    operations
  return {
    ...bind(pool, { ...runs, ...leases, ...limits, ...sessions, ...control, ...timers }),
    ...bind(pool, { ...dueWork, ...childRunRequests, ...inbox, ...reconcile, ...maps }),
    ...bind(lazyPool, { ...lazySessions, ...lazyControl }),
    ...bind(pools, pooledRuns),
    transaction: (work) => withTransaction(pool, (tx) => work(around('scheduler.tx', bind(tx, lockedOperations)))),
  }
}
