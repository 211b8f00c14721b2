import { around } from '@millrace/crash-point'
import { createEventBus, type EventBus, publisherOf, RefusalLog } from '@millrace/events'
import { createIamClient, type IamClient, type QuotasOf } from '@millrace/iam-client'
import { createLogger, type Logger } from '@millrace/logger'
import { type Batcher, createBatcher, type Listener, listen, type Pool } from '@millrace/postgres'
import { Owned } from '@millrace/service-runner'
import { Watch } from './alerts/watch.js'
import { type ArtifactClient, createArtifactClient } from './clients/artifact-client.js'
import { createSecretsClient, type SecretsClient } from './clients/secrets-client.js'
import { createWorkflowClient, type WorkflowClient } from './clients/workflow-client.js'
import { defaultBacklog, defaultEngine, defaultRetention, type SchedulerConfig } from './config.js'
import { ResultsFeed } from './consumers/results-feed.js'
import { emptyRows } from './db/batch/clauses.js'
import { CONTROL_CHANNEL } from './db/control.js'
import { saveCircuits } from './db/open-circuits.js'
import { createOutputStore } from './db/outputs.js'
import { createSchedulerPools, type SchedulerPools } from './db/pools.js'
import { createPostgresStore } from './db/postgres-store.js'
import { whichRunsExist } from './db/queries.js'
import { insertRunWatches, type RunWatch } from './db/run-watches.js'
import { listSessionKeys, listSessionsOfKeys } from './db/sessions.js'
import { progressStore } from './db/task-progress.js'
import { CircuitReports } from './engine/circuit-reports.js'
import { type EvaluateElsewhere, evaluateInThreads } from './engine/costly-evaluations.js'
import { Engine } from './engine/engine.js'
import { type Environment, realEnvironment } from './engine/environment.js'
import { KeyWatch } from './engine/key-watch.js'
import { LeaseReplies } from './engine/lease-replies.js'
import { NewRuns } from './engine/new-runs.js'
import { ProgressReports } from './engine/progress-reports.js'
import { SecretValues } from './engine/secret-values.js'
import type { Store } from './engine/store.js'
import { Housekeeping } from './housekeeping.js'
import { Retention } from './retention/retention.js'
import { Schedules } from './schedules/schedules.js'

/** What may be handed in; what is not is made from the configuration and closed with the service. */
export interface SchedulerDeps {
  logger: Logger
  pools: SchedulerPools
  bus: EventBus
  iam: IamClient
  quotas: QuotasOf
  workflows: WorkflowClient
  secrets: SecretsClient
  /** Absent: outputs of any size stay in the database. */
  artifacts: ArtifactClient | undefined
}

export interface AppContext extends SchedulerDeps {
  pool: Pool
  env: Environment
  config: SchedulerConfig
  /** Results on the Kafka transport; silent where there is none. */
  results: ResultsFeed
  refusals: RefusalLog
  engine: Engine
  newRuns: NewRuns
  whichRunsExist(runIds: readonly string[]): Promise<readonly string[]>
  /** Of runs that are created at about the same time, by one statement. */
  runWatches: Batcher<RunWatch, undefined>
  replies: LeaseReplies
  progress: ProgressReports
  circuits: CircuitReports
  schedules: Schedules
  retention: Retention
  close(): Promise<void>
}

const publishedTopics = [
  'workflow.updated',
  'workflow.completed',
  'task.updated',
  'task.progress',
  'task.completed',
  'task.failed',
  'task.dead-lettered',
  'approval.requested',
] as const

/** An event comes within seconds of the call that brought its run. */
const RECENT_RUNS = 20_000

export function createContext(config: SchedulerConfig, overrides: Partial<SchedulerDeps>): AppContext {
  const owned = new Owned()
  const env = realEnvironment
  const logger = overrides.logger ?? createLogger({ service: 'scheduler', level: config.logLevel })
  const engineConfig = { ...defaultEngine, ...config.engine }
  const pools =
    overrides.pools ??
    owned.add(createSchedulerPools(config.databaseUrl, engineConfig.shards, logger), async (made) => {
      await Promise.all([made.pool.end(), made.bulkPool.end(), made.lazyPool.end()])
    })
  const { pool } = pools
  const bus = overrides.bus ?? owned.add(makeBus(config, logger), (made) => made.close())
  const refusals = owned.add(new RefusalLog({ pool, source: 'scheduler', logger, hint: () => bus.hint() }), (made) =>
    made.stop(),
  )
  const iam =
    overrides.iam ??
    owned.add(createIamClient({ address: config.iamGrpc, identity: config.identity, logger }), (made) => made.close())
  const quotas = overrides.quotas ?? iam.quotas
  const workflows =
    overrides.workflows ??
    owned.add(createWorkflowClient(config.workflowGrpc, config.identity, logger), (made) => made.close())
  const secrets =
    overrides.secrets ?? owned.add(createSecretsClient(config.iamGrpc, config.identity, logger), (made) => made.close())
  const artifacts = overrides.artifacts ?? makeArtifacts(config)
  const store = around('scheduler.store', createPostgresStore(pools))
  const results = new ResultsFeed()
  const elsewhere = owned.add(evaluateInThreads(), (made) => made.close())
  const engine = makeEngine({ config, store, pools, env, logger, workflows, artifacts, bus, results, elsewhere })
  owned.add(hearReplicas(config.databaseUrl, engine, logger), (made) => made.close())
  const schedules = new Schedules({
    pool,
    logger,
    createRuns: (runs, timeoutMs) => workflows.createRuns(runs, timeoutMs),
  })
  const retention = makeRetention({ config, pools, logger, bus, engine })
  const published = () => bus.hint()
  const watch = new Watch({ ...(config.backlog ?? defaultBacklog), pool, logger, published })
  const keyWatch = makeKeyWatch({ pool, iam, engine, env, logger })
  engine.loops.add(keyWatch, schedules, retention, watch, new Housekeeping(pool, logger))
  const replies = new LeaseReplies(engine, new SecretValues(secrets, env), env, logger)
  const progress = new ProgressReports(progressStore(pools.lazyPool), (runIds) => {
    engine.watch.changed(runIds)
    bus.hint()
  })
  return {
    ...{ config, logger, pools, pool, env, bus, iam, quotas, workflows, secrets, artifacts, results, refusals, engine },
    newRuns: new NewRuns(RECENT_RUNS),
    whichRunsExist: (runIds) => whichRunsExist(pool, runIds),
    runWatches: makeRunWatches(pool),
    replies,
    progress,
    circuits: new CircuitReports((sessionId, open) => saveCircuits(pools.lazyPool, sessionId, open), env.wallMs),
    schedules,
    retention,
    close: () => owned.close(),
  }
}

const makeRunWatches = (pool: Pool) =>
  createBatcher<RunWatch, undefined>({
    run: async (watches) => {
      await insertRunWatches(pool, watches)
      return watches.map(() => undefined)
    },
    maxBatch: 500,
  })

function makeKeyWatch({
  pool,
  iam,
  engine,
  env,
  logger,
}: Pick<AppContext, 'pool' | 'iam' | 'engine' | 'env' | 'logger'>) {
  return new KeyWatch({
    listKeys: (after, limit) => listSessionKeys(pool, after, limit),
    findInvalid: (keyIds) => iam.findInvalidKeys(keyIds),
    listSessions: (keyIds) => listSessionsOfKeys(pool, keyIds),
    endSession: (sessionId) => engine.endSession(sessionId),
    env,
    logger,
  })
}

function makeRetention({
  config,
  pools,
  logger,
  bus,
  engine,
}: Pick<AppContext, 'config' | 'pools' | 'logger' | 'bus' | 'engine'>) {
  return new Retention({
    ...(config.retention ?? defaultRetention),
    pool: pools.bulkPool,
    logger,
    published: () => bus.hint(),
    cancel: (runId, reason) => engine.cancel(runId, reason),
  })
}

const makeBus = ({ databaseUrl, events }: SchedulerConfig, logger: Logger): EventBus =>
  createEventBus(events, { connectionString: databaseUrl, service: 'scheduler', logger })

function makeArtifacts({ artifactUrl, identity }: SchedulerConfig): ArtifactClient | undefined {
  return artifactUrl === undefined ? undefined : createArtifactClient(artifactUrl, identity)
}

type EngineParts = Pick<
  AppContext,
  'config' | 'pools' | 'env' | 'logger' | 'workflows' | 'artifacts' | 'bus' | 'results'
> & {
  store: Store
  elsewhere: EvaluateElsewhere
}

function makeEngine(parts: EngineParts): Engine {
  const { config, store, pools, env, logger, workflows, artifacts, bus, results, elsewhere } = parts
  const engineConfig = { ...defaultEngine, ...config.engine }
  return new Engine({
    store,
    emptyRows,
    elsewhere,
    env,
    logger,
    leaseMs: config.leaseMs,
    fetchVersion: (versionId) => workflows.fetchVersion(versionId),
    createRun: (run, timeoutMs) => workflows.createRun(run, timeoutMs),
    ...(artifacts ? { keepOutputs: { store: createOutputStore(pools.pool), artifacts } } : {}),
    // Nobody who reads these needs them sooner, and each NOTIFY costs about as much as a task.
    published: () => bus.hint({ topics: publishedTopics, withinMs: engineConfig.hintWithinMs }),
    ...brokerParts(bus, results),
    ...engineConfig,
  })
}

/** Where a broker carries events, workers publish results there, and there may be several replicas. */
function brokerParts(bus: EventBus, results: ResultsFeed) {
  if (publisherOf(bus) === undefined) return {}
  return { hasReplicas: true, caughtUp: (signal: AbortSignal) => results.caughtUp(signal) }
}

/** Hints of other replicas; polls stand behind them. */
function hearReplicas(connectionString: string, engine: Engine, logger: Logger): Listener {
  return listen({
    connectionString,
    channel: CONTROL_CHANNEL,
    applicationName: 'millrace-scheduler-hints',
    onMessage: (payload) => engine.control.hear(payload),
    onLost: (error) => logger.debug({ err: error }, 'hints of other replicas are not heard for a while'),
  })
}
