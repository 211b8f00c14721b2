import { createEventBus, type EventBus } from '@millrace/events'
import { createLogger, type Logger } from '@millrace/logger'
import { createPool, type Pool } from '@millrace/postgres'
import type { IamConfig } from './config.js'
import { Credentials } from './security/credentials.js'
import { KeyRing } from './security/key-ring.js'
import { createPasswordHasher, type PasswordHasher } from './security/password-hasher.js'
import { SecretVault } from './security/secret-vault.js'

export interface AdminCredentials {
  email: string
  /** Only when it was generated: what the operator chose is not repeated. */
  generatedPassword: string | undefined
}

export interface IamDeps {
  logger: Logger
  bus: EventBus
  /** Told once in the life of a database, before the administrator exists: what is told cannot be lost to a crash. */
  onAdminCreated: (admin: AdminCredentials) => void | Promise<void>
}

export interface IamContext {
  config: IamConfig
  logger: Logger
  pool: Pool
  bus: EventBus
  keys: KeyRing
  credentials: Credentials
  passwords: PasswordHasher
  secrets: SecretVault
  onAdminCreated: IamDeps['onAdminCreated']
  close(): Promise<void>
}

export async function createContext(config: IamConfig, overrides: Partial<IamDeps>): Promise<IamContext> {
  const logger = overrides.logger ?? createLogger({ service: 'iam', level: config.logLevel })
  const passwords = await createPasswordHasher(config.password)
  const pool = createPool({
    connectionString: config.databaseUrl,
    schema: 'iam',
    max: config.poolSize,
    applicationName: 'millrace-iam',
    statementTimeoutMs: 10_000,
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  })
  const bus =
    overrides.bus ?? createEventBus(config.events, { connectionString: config.databaseUrl, service: 'iam', logger })
  const keys = new KeyRing({
    pool,
    logger,
    masterKey: config.masterKey,
    ...config.signingKeys,
    outliveMs: config.tokens.accessMs + 60_000,
  })
  return {
    config,
    logger,
    pool,
    bus,
    keys,
    passwords,
    secrets: new SecretVault(config.masterKey),
    credentials: new Credentials(pool, keys, Math.min(config.credentialCacheMs, 5000)),
    onAdminCreated: overrides.onAdminCreated ?? (() => undefined),
    async close() {
      await keys.stop()
      // A bus that was handed in belongs to whoever made it.
      if (!overrides.bus) await bus.close()
      await pool.end()
    },
  }
}
