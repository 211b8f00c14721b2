import { createEventBus, type EventBus, RefusalLog } from '@millrace/events'
import {
  createIamClient,
  type IamClient,
  type OpenStream,
  type QuotasOf,
  type ValidateToken,
} from '@millrace/iam-client'
import type { IdentityVerifier } from '@millrace/identity'
import { createLogger, type Logger } from '@millrace/logger'
import { createPool, type Pool } from '@millrace/postgres'
import { type ControlGateway, createControlGateway } from './clients/control.js'
import { createSchedulerGateway, type SchedulerGateway } from './clients/scheduler.js'
import { createScheduleGateway, type ScheduleGateway } from './clients/schedules.js'
import { defaultHookRate, type WorkflowConfig } from './config.js'
import { createRunCreator, type RunCreator } from './create-runs.js'
import { findRunRequests, type RunRequest } from './db/run-requests.js'
import { TokenBuckets } from './domain/token-bucket.js'
import { createProjectFeed, type ProjectFeed } from './live/project-feed.js'
import { createOneOffVersions, type OneOffVersions } from './one-off-versions.js'
import { createReleaser, type Releaser } from './release-waiting.js'
import { StartedRuns } from './started-runs.js'
import { createStarterNames, type NameStarters } from './starter-names.js'
import { createVersionCache, type VersionCache } from './version-cache.js'

/** What may be handed in; what is not is made from the configuration and closed with the service. */
export interface WorkflowDeps {
  logger: Logger
  pool: Pool
  bus: EventBus
  verifier: IdentityVerifier
  validateToken: ValidateToken
  quotas: QuotasOf
  usage: IamClient['usage']
  subjectNames: IamClient['subjectNames']
  openStream: OpenStream
  scheduler: SchedulerGateway
  schedules: ScheduleGateway
  control: ControlGateway
}

export interface AppContext extends WorkflowDeps {
  config: WorkflowConfig
  versions: VersionCache
  runCreator: RunCreator
  oneOffs: OneOffVersions
  releaser: Releaser
  hookLimits: TokenBuckets
  feed: ProjectFeed
  refusals: RefusalLog
  nameStarters: NameStarters
  /** Closes what this context made itself. */
  close(): Promise<void>
}

type Closing = (() => Promise<void> | void)[]

export function createContext(config: WorkflowConfig, overrides: Partial<WorkflowDeps>): AppContext {
  const closing: Closing = []
  const logger = overrides.logger ?? createLogger({ service: 'workflow', level: config.logLevel })
  const pool = overrides.pool ?? own(closing, makePool(config, logger), (made) => made.end())
  const bus =
    overrides.bus ??
    own(
      closing,
      createEventBus(config.events, { connectionString: config.databaseUrl, service: 'workflow', logger }),
      (made) => made.close(),
    )
  const iam = own(closing, makeIam(config, logger), (made) => made.close())
  const { verifier, validateToken, quotas, usage, subjectNames, openStream } = { ...iam, ...overrides }
  const scheduler =
    overrides.scheduler ??
    own(closing, createSchedulerGateway(config.schedulerGrpc, config.identity, logger), (made) => made.close())
  const schedules =
    overrides.schedules ??
    own(closing, createScheduleGateway(config.schedulerGrpc, config.identity, logger), (made) => made.close())
  const control =
    overrides.control ??
    own(closing, createControlGateway(config.schedulerGrpc, config.identity, logger), (made) => made.close())
  const versions = createVersionCache(pool)
  const startedRuns = new StartedRuns({ scheduler, bus, logger })
  const onCommitted = (runs: readonly RunRequest[]) => startedRuns.committed(runs)
  const runCreator = createRunCreator({ pool, versions, quotas, onCommitted })
  const oneOffs = createOneOffVersions(pool)
  const releaser = createReleaser({ pool, logger, onReleased: () => bus.hint() })
  const hookLimits = new TokenBuckets(config.hookRatePerMinute ?? defaultHookRate)
  const feed = createProjectFeed({
    ...{ bus, logger },
    readChanged: (runIds, taskIds) => scheduler.readChanged(runIds, taskIds),
    findRequests: (ids) => findRunRequests(pool, ids),
  })
  const refusals = new RefusalLog({ pool, source: 'workflow', logger, hint: () => bus.hint() })
  const close = async () => {
    await feed.close()
    await refusals.stop()
    await releaser.stop()
    await runCreator.close()
    await startedRuns.close()
    for (const closeOne of closing.reverse()) await closeOne()
  }
  return {
    config,
    logger,
    pool,
    bus,
    ...{ verifier, validateToken, quotas, usage, subjectNames, openStream },
    scheduler,
    schedules,
    control,
    versions,
    runCreator,
    oneOffs,
    releaser,
    hookLimits,
    feed,
    refusals,
    nameStarters: createStarterNames(subjectNames, logger),
    close,
  }
}

function own<T>(closing: Closing, made: T, close: (made: T) => Promise<void> | void): T {
  closing.push(() => close(made))
  return made
}

function makePool(config: WorkflowConfig, logger: Logger): Pool {
  return createPool({
    connectionString: config.databaseUrl,
    schema: 'workflow',
    max: 10,
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  })
}

function makeIam({ iamGrpc, identity }: WorkflowConfig, logger: Logger): IamClient {
  return createIamClient({ address: iamGrpc, identity, logger })
}
