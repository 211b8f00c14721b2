import type { Logger } from '@millrace/logger'
import { createPool, type Pool } from '@millrace/postgres'

export interface SchedulerPools {
  /** For nearly everything. Each statement is planned once a connection. */
  pool: Pool
  /** For large batches: each statement is planned for the rows it brings. */
  bulkPool: Pool
  /** For what may be lost in a crash: heartbeats and the pulse. Its commits wait for no flush. */
  lazyPool: Pool
  logger?: Logger
}

/**
 * The queue is empty when its statements are first planned, and the planner would then read all of it and sort; with
 * 3,000 tasks in it a dequeue took 30 ms so, and takes 2 ms by its index. Nothing here gains from compiled expressions.
 */
const byIndex = { enable_seqscan: 'off', enable_bitmapscan: 'off', jit: 'off' }

const planOnce = { plan_cache_mode: 'force_generic_plan' }

export function createSchedulerPools(connectionString: string, shards: number, logger: Logger): SchedulerPools {
  const make = (name: string, max: number, settings: Record<string, string>): Pool =>
    createPool({
      connectionString,
      schema: 'scheduler',
      max,
      applicationName: name,
      settings,
      onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
    })
  return {
    logger,
    // The batch statement has some twenty parts: planning it for each batch costs more than running it.
    pool: make('millrace-scheduler', shards + 8, { ...planOnce, ...byIndex }),
    // A generic plan takes each array for ten rows and joins them in nested loops: a million steps for a thousand rows.
    bulkPool: make('millrace-scheduler-bulk', shards + 1, { plan_cache_mode: 'force_custom_plan', ...byIndex }),
    // A heartbeat that a crash undoes does no harm: after the gap every session gets a fresh term.
    lazyPool: make('millrace-scheduler-lazy', 3, { ...planOnce, synchronous_commit: 'off' }),
  }
}
