import { createPostgresEventBus, type EventBus } from '@millrace/events'
import { createIamClient, type IamClient } from '@millrace/iam-client'
import { createLogger, type Logger } from '@millrace/logger'
import { createPool, type Pool } from '@millrace/postgres'
import { Owned } from '@millrace/service-runner'
import { createWorkflowClient, type WorkflowClient } from './clients/workflow-client.js'
import { defaultEngine, type SchedulerConfig } from './config.js'
import { Engine } from './engine/engine.js'
import { Schedules } from './schedules/schedules.js'

/** What may be handed in; what is not is made from the configuration and closed with the service. */
export interface SchedulerDeps {
  logger: Logger
  pool: Pool
  /** For what may be lost in a crash: heartbeats and the pulse. Its commits wait for no flush. */
  lazyPool: Pool
  bus: EventBus
  iam: IamClient
  workflows: WorkflowClient
}

export interface AppContext extends SchedulerDeps {
  config: SchedulerConfig
  engine: Engine
  schedules: Schedules
  close(): Promise<void>
}

/** Nobody who reads these needs them sooner, and each NOTIFY costs about as much as a task. */
const HINT_WITHIN_MS = 30
const publishedTopics = [
  'workflow.updated',
  'workflow.completed',
  'task.updated',
  'task.completed',
  'task.failed',
  'task.dead-lettered',
] as const

export function createContext(config: SchedulerConfig, overrides: Partial<SchedulerDeps>): AppContext {
  const owned = new Owned()
  const logger = overrides.logger ?? createLogger({ service: 'scheduler', level: config.logLevel })
  const engineConfig = { ...defaultEngine, ...config.engine }
  const pool = overrides.pool ?? owned.add(makePool(config, engineConfig.lanes, logger), (made) => made.end())
  const lazyPool = overrides.lazyPool ?? owned.add(makeLazyPool(config, logger), (made) => made.end())
  const bus =
    overrides.bus ??
    owned.add(createPostgresEventBus({ connectionString: config.databaseUrl, logger }), (made) => made.close())
  const iam =
    overrides.iam ??
    owned.add(
      createIamClient({ address: config.iamGrpc, serviceSecret: config.serviceSecret, service: 'scheduler', logger }),
      (made) => made.close(),
    )
  const workflows =
    overrides.workflows ??
    owned.add(createWorkflowClient(config.workflowGrpc, config.serviceSecret, logger), (made) => made.close())
  const engine = new Engine({
    pool,
    lazyPool,
    logger,
    leaseMs: config.leaseMs,
    fetchVersion: (versionId) => workflows.fetchVersion(versionId),
    told: () => bus.hint({ topics: publishedTopics, withinMs: HINT_WITHIN_MS }),
    ...engineConfig,
  })
  const schedules = new Schedules({
    pool,
    logger,
    createRun: (run, timeoutMs) => workflows.createRun(run, timeoutMs),
  })
  return { config, logger, pool, lazyPool, bus, iam, workflows, engine, schedules, close: () => owned.close() }
}

/**
 * Every statement is planned once a connection: the batch statement has some twenty parts, and planning it anew for each
 * batch costs more than running it. Nothing here gains from compiled expressions.
 */
function makePool(config: SchedulerConfig, lanes: number, logger: Logger): Pool {
  return createPool({
    connectionString: config.databaseUrl,
    schema: 'scheduler',
    max: lanes + 8,
    applicationName: 'millrace-scheduler',
    settings: { plan_cache_mode: 'force_generic_plan', jit: 'off' },
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  })
}

/**
 * A heartbeat that a crash undoes does no harm: after the gap every session gets a fresh term. Flushing each one would
 * cost as much as a task.
 */
function makeLazyPool(config: SchedulerConfig, logger: Logger): Pool {
  return createPool({
    connectionString: config.databaseUrl,
    schema: 'scheduler',
    max: 3,
    applicationName: 'millrace-scheduler-lazy',
    settings: { synchronous_commit: 'off' },
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  })
}
