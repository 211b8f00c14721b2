import { createEventBus, type EventBus, RefusalLog } from '@millrace/events'
import { createIamClient, type IamClient, type QuotasOf } from '@millrace/iam-client'
import { type IdentityVerifier, orService } from '@millrace/identity'
import { createLogger, type Logger } from '@millrace/logger'
import { createFileObjectStore, createS3ObjectStore, type ObjectStore } from '@millrace/object-store'
import { createPool, type Pool } from '@millrace/postgres'
import { Owned } from '@millrace/service-runner'
import { createRuns, type Runs } from './clients/runs.js'
import { type ArtifactConfig, type ArtifactLimits, defaultLimits } from './config.js'

/** What may be handed in; what is not is made from the configuration and closed with the service. */
export interface ArtifactDeps {
  logger: Logger
  pool: Pool
  bus: EventBus
  store: ObjectStore
  verifier: Pick<IdentityVerifier, 'verify'>
  runs: Runs
  quotas: QuotasOf
  reportStorage: IamClient['reportStorage']
}

export interface AppContext extends ArtifactDeps {
  config: ArtifactConfig
  limits: ArtifactLimits
  refusals: RefusalLog
  /** Closes what this context made itself. */
  close(): Promise<void>
}

function makePool(config: ArtifactConfig, logger: Logger): Pool {
  return createPool({
    connectionString: config.databaseUrl,
    schema: 'artifact',
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  })
}

function makeStore({ s3, files, publicUrl = '' }: ArtifactConfig): ObjectStore {
  if (s3 !== undefined) return createS3ObjectStore(s3)
  if (files === undefined) throw new Error('no place is configured for the content of artifacts')
  const origin = publicUrl.replace(/(?<!\/)\/+$/, '')
  return createFileObjectStore({ ...files, signedPath: `${origin}/api/v1/artifacts/signed/` })
}

function makeIam({ iamGrpc, identity }: ArtifactConfig, logger: Logger, owned: Owned): IamClient {
  return owned.add(createIamClient({ address: iamGrpc, identity, logger }), (made) => made.close())
}

export function createContext(config: ArtifactConfig, overrides: Partial<ArtifactDeps>): AppContext {
  const owned = new Owned()
  const logger = overrides.logger ?? createLogger({ service: 'artifact', level: config.logLevel })
  const pool = overrides.pool ?? owned.add(makePool(config, logger), (made) => made.end())
  const bus =
    overrides.bus ??
    owned.add(
      createEventBus(config.events, { connectionString: config.databaseUrl, service: 'artifact', logger }),
      (made) => made.close(),
    )
  const store = overrides.store ?? makeStore(config)
  const iam = makeIam(config, logger, owned)
  const people = overrides.verifier ?? iam.verifier
  // The platform's own worker brings files of `shell`, the scheduler large outputs; neither has a user's identity.
  const verifier = orService(people, config.identity, ['worker', 'scheduler'])
  const runs =
    overrides.runs ?? owned.add(createRuns(config.schedulerGrpc, config.identity, logger), (made) => made.close())
  const limits = { ...defaultLimits, ...config.limits }
  const { quotas, reportStorage } = { ...iam, ...overrides }
  const refusals = new RefusalLog({ pool, source: 'artifact', logger, hint: () => bus.hint() })
  owned.add(refusals, (made) => made.stop())
  const close = () => owned.close()
  return { config, limits, logger, pool, bus, store, verifier, runs, quotas, reportStorage, refusals, close }
}
