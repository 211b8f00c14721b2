import { createPostgresEventBus, type EventBus } from '@millrace/events'
import { createIamClient, type IamClient, type ValidateToken } from '@millrace/iam-client'
import type { IdentityVerifier } from '@millrace/identity'
import { createPostgresJobStore, type JobStore } from '@millrace/job-store'
import { createLogger, type Logger } from '@millrace/logger'
import { createPool } from '@millrace/postgres'
import { createSchedulerRuns, type SchedulerRuns } from './clients/scheduler.js'
import { defaultFollow, type FollowConfig, type MetadataConfig } from './config.js'
import { KnownRuns } from './known-runs.js'
import { createLogAppender, type LogAppender } from './logs/log-appender.js'
import { RunBells } from './logs/run-bells.js'

/** What may be handed in; what is not is made from the configuration and closed with the service. */
export interface MetadataDeps {
  logger: Logger
  store: JobStore
  bus: EventBus
  verifier: IdentityVerifier
  validateToken: ValidateToken
  scheduler: SchedulerRuns
}

export interface AppContext extends Omit<MetadataDeps, 'scheduler'> {
  config: MetadataConfig
  follow: FollowConfig
  hub: RunBells
  runs: KnownRuns
  appender: LogAppender
  /** Closes what this context made itself. */
  close(): Promise<void>
}

type Closing = (() => Promise<void> | void)[]

export function createContext(config: MetadataConfig, overrides: Partial<MetadataDeps>): AppContext {
  const closing: Closing = []
  const logger = overrides.logger ?? createLogger({ service: 'metadata', level: config.logLevel })
  const store = overrides.store ?? own(closing, makeStore(config, logger), (made) => made.close())
  const bus = overrides.bus ?? own(closing, makeBus(config, logger), (made) => made.close())
  const iam = own(closing, makeIam(config, logger), (made) => made.close())
  const verifier = overrides.verifier ?? iam.verifier
  const validateToken = overrides.validateToken ?? iam.validateToken
  const scheduler = overrides.scheduler ?? makeScheduler(config, logger, closing)
  const follow = { ...defaultFollow, ...config.follow }
  const hub = new RunBells()
  const runs = new KnownRuns(store, scheduler, hub, follow)
  const appender = createLogAppender(store, hub)
  const close = async () => {
    for (const closeOne of closing.reverse()) await closeOne()
  }
  return { config, follow, logger, store, bus, verifier, validateToken, hub, runs, appender, close }
}

function own<T>(closing: Closing, made: T, close: (made: T) => Promise<void> | void): T {
  closing.push(() => close(made))
  return made
}

/** The events' log is in the same database, so documents need not wait for the disk (see the store's option). */
function makeStore({ databaseUrl }: MetadataConfig, logger: Logger): JobStore {
  const onError = (error: Error) => logger.warn({ err: error }, 'a database connection was lost')
  const common = { connectionString: databaseUrl, schema: 'metadata', statementTimeoutMs: 30_000, onError }
  return createPostgresJobStore({
    schema: 'metadata',
    pool: createPool({ ...common, max: 10 }),
    documentPool: createPool({ ...common, max: 3, settings: { synchronous_commit: 'off' } }),
  })
}

const makeBus = ({ databaseUrl }: MetadataConfig, logger: Logger): EventBus =>
  createPostgresEventBus({ connectionString: databaseUrl, logger })

const makeIam = ({ iamGrpc, serviceSecret }: MetadataConfig, logger: Logger): IamClient =>
  createIamClient({ address: iamGrpc, serviceSecret, service: 'metadata', logger })

function makeScheduler(config: MetadataConfig, logger: Logger, closing: Closing): SchedulerRuns | undefined {
  if (config.schedulerGrpc === undefined) return undefined
  const made = createSchedulerRuns(config.schedulerGrpc, config.serviceSecret, logger)
  return own(closing, made, (each) => each.close())
}
