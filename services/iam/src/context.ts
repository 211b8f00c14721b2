import { AUDIT_SCHEMA, createEventBus, type EventBus, RefusalLog } from '@millrace/events'
import { createLogger, type Logger } from '@millrace/logger'
import { createMailer, type Mailer } from '@millrace/mailer'
import { createPool, type Pool } from '@millrace/postgres'
import type { IamConfig } from './config.js'
import { MailQueue } from './mail/mail-queue.js'
import { LoginStates } from './oidc/login-state.js'
import { ProviderClients } from './oidc/provider-clients.js'
import { AddressLimiter } from './security/address-limiter.js'
import { AuditChain } from './security/audit-chain.js'
import { Credentials } from './security/credentials.js'
import { DeviceCookies } from './security/device-cookie.js'
import { KeyRing } from './security/key-ring.js'
import { KeyUsage } from './security/key-usage.js'
import { createPasswordHasher, type PasswordHasher } from './security/password-hasher.js'
import type { SealingKeys } from './security/seal.js'
import { SecretVault } from './security/secret-vault.js'

export interface AdminCredentials {
  email: string
  /** Only when it was generated: what the operator chose is not repeated. */
  generatedPassword: string | undefined
}

export interface IamDeps {
  logger: Logger
  bus: EventBus
  mailer: Mailer
  /** Told once in the life of a database, before the administrator exists: what is told cannot be lost to a crash. */
  onAdminCreated: (admin: AdminCredentials) => void | Promise<void>
}

export interface IamContext {
  config: IamConfig
  logger: Logger
  pool: Pool
  bus: EventBus
  mail: MailQueue
  /** Registrations and asked-for mail. */
  addressLimit: AddressLimiter
  keys: KeyRing
  credentials: Credentials
  keyUsage: KeyUsage
  passwords: PasswordHasher
  devices: DeviceCookies
  masterKeys: SealingKeys
  secrets: SecretVault
  auditChain: AuditChain
  refusals: RefusalLog
  oidc: { clients: ProviderClients; states: LoginStates }
  onAdminCreated: IamDeps['onAdminCreated']
  close(): Promise<void>
}

export async function createContext(config: IamConfig, overrides: Partial<IamDeps>): Promise<IamContext> {
  const logger = overrides.logger ?? createLogger({ service: 'iam', level: config.logLevel })
  const passwords = await createPasswordHasher(config.password)
  const pool = createPool({
    connectionString: config.databaseUrl,
    schema: 'iam',
    alsoIn: AUDIT_SCHEMA,
    max: config.poolSize,
    applicationName: 'millrace-iam',
    statementTimeoutMs: 10_000,
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  })
  const bus =
    overrides.bus ?? createEventBus(config.events, { connectionString: config.databaseUrl, service: 'iam', logger })
  const { masterKey, previousMasterKey } = config
  const masterKeys: SealingKeys = previousMasterKey ? [masterKey, previousMasterKey] : [masterKey]
  const keys = new KeyRing({
    pool,
    logger,
    masterKeys,
    ...config.signingKeys,
    outliveMs: config.tokens.accessMs + 60_000,
  })
  const keyUsage = new KeyUsage(pool, logger, config.keyUsageFlushMs)
  const mailer = overrides.mailer ?? createMailer(config.mail)
  const refusals = new RefusalLog({ pool, source: 'iam', logger, hint: () => bus.hint() })
  return {
    config,
    logger,
    pool,
    bus,
    addressLimit: new AddressLimiter(config.registrationsPerMinute),
    mail: new MailQueue({ pool, mailer, logger, publicUrl: config.publicUrl }),
    keys,
    masterKeys,
    passwords,
    devices: new DeviceCookies(masterKeys),
    secrets: new SecretVault(masterKeys),
    auditChain: new AuditChain(masterKeys),
    refusals,
    oidc: { clients: new ProviderClients(config.oidc, logger), states: new LoginStates(masterKeys) },
    keyUsage,
    credentials: new Credentials(pool, keys, Math.min(config.credentialCacheMs, 5000), keyUsage),
    onAdminCreated: overrides.onAdminCreated ?? (() => undefined),
    async close() {
      await keys.stop()
      await refusals.stop()
      // A bus that was handed in belongs to whoever made it.
      if (!overrides.bus) await bus.close()
      await pool.end()
    },
  }
}
