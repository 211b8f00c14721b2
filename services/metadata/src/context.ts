import { createEventBus, type EventBus, RefusalLog } from '@millrace/events'
import { createIamClient, type IamClient, type OpenStream, type ValidateToken } from '@millrace/iam-client'
import type { IdentityVerifier } from '@millrace/identity'
import { createMongoJobStore, createPostgresJobStore, type JobStore } from '@millrace/job-store'
import { createLogger, type Logger } from '@millrace/logger'
import { createPool } from '@millrace/postgres'
import { Owned } from '@millrace/service-runner'
import { createSchedulerRuns, type SchedulerRuns } from './clients/scheduler.js'
import { defaultFollow, type FollowConfig, type MetadataConfig } from './config.js'
import { KnownRuns } from './known-runs.js'
import { createLogAppender, type LogAppender } from './logs/log-appender.js'
import { RunFeeds } from './logs/run-feeds.js'
import { RunHints } from './logs/run-hints.js'

/** What may be handed in; what is not is made from the configuration and closed with the service. */
export interface MetadataDeps {
  logger: Logger
  store: JobStore
  bus: EventBus
  verifier: IdentityVerifier
  validateToken: ValidateToken
  openStream: OpenStream
  scheduler: SchedulerRuns
}

export interface AppContext extends Omit<MetadataDeps, 'scheduler'> {
  config: MetadataConfig
  follow: FollowConfig
  hints: RunHints
  feeds: RunFeeds
  runs: KnownRuns
  appender: LogAppender
  refusals: RefusalLog
  /** Closes what this context made itself. */
  close(): Promise<void>
}

export function createContext(config: MetadataConfig, overrides: Partial<MetadataDeps>): AppContext {
  const owned = new Owned()
  const logger = overrides.logger ?? createLogger({ service: 'metadata', level: config.logLevel })
  const store = overrides.store ?? owned.add(makeStore(config, logger), (made) => made.close())
  const bus = overrides.bus ?? owned.add(makeBus(config, logger), (made) => made.close())
  const iam = owned.add(makeIam(config, logger), (made) => made.close())
  const verifier = overrides.verifier ?? iam.verifier
  const validateToken = overrides.validateToken ?? iam.validateToken
  const openStream = overrides.openStream ?? iam.openStream
  const scheduler = overrides.scheduler ?? makeScheduler(config, logger, owned)
  const follow = { ...defaultFollow, ...config.follow }
  const hints = new RunHints()
  const feeds = new RunFeeds(store, hints, follow)
  const runs = new KnownRuns(store, scheduler, hints, follow)
  const appender = createLogAppender(store, hints)
  const refusals = makeRefusals(config, bus, logger, owned)
  const close = () => owned.close()
  return {
    config,
    follow,
    logger,
    store,
    bus,
    verifier,
    validateToken,
    openStream,
    hints,
    feeds,
    runs,
    appender,
    refusals,
    close,
  }
}

function makeStore(config: MetadataConfig, logger: Logger): JobStore {
  if (config.mongoUrl !== undefined) return createMongoJobStore({ url: config.mongoUrl })
  return makePostgresStore(config, logger)
}

/** The events' log is in the same database, so documents need not wait for the disk (see the store's option). */
function makePostgresStore({ databaseUrl }: MetadataConfig, logger: Logger): JobStore {
  const onError = (error: Error) => logger.warn({ err: error }, 'a database connection was lost')
  const common = { connectionString: databaseUrl, schema: 'metadata', statementTimeoutMs: 30_000, onError }
  return createPostgresJobStore({
    schema: 'metadata',
    pool: createPool({ ...common, max: 10 }),
    documentPool: createPool({ ...common, max: 3, settings: { synchronous_commit: 'off' } }),
  })
}

const makeBus = ({ databaseUrl, events }: MetadataConfig, logger: Logger): EventBus =>
  createEventBus(events, { connectionString: databaseUrl, service: 'metadata', logger })

/** Events go through PostgreSQL wherever documents are kept. */
function makeRefusals({ databaseUrl }: MetadataConfig, bus: EventBus, logger: Logger, owned: Owned): RefusalLog {
  const onError = (error: Error) => logger.warn({ err: error }, 'a database connection was lost')
  const made = createPool({ connectionString: databaseUrl, schema: 'metadata', max: 1, onError })
  const pool = owned.add(made, (each) => each.end())
  const refusals = new RefusalLog({ pool, source: 'metadata', logger, hint: () => bus.hint() })
  return owned.add(refusals, (each) => each.stop())
}

const makeIam = ({ iamGrpc, identity }: MetadataConfig, logger: Logger): IamClient =>
  createIamClient({ address: iamGrpc, identity, logger })

function makeScheduler(config: MetadataConfig, logger: Logger, owned: Owned): SchedulerRuns | undefined {
  if (config.schedulerGrpc === undefined) return undefined
  const made = createSchedulerRuns(config.schedulerGrpc, config.identity, logger)
  return owned.add(made, (each) => each.close())
}
