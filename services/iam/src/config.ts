import {
  boolean,
  ConfigError,
  duration,
  type Env,
  type EventsConfig,
  type Field,
  integer,
  isLoopback,
  masterKey,
  readConfig,
  secret,
  serviceFields,
  serviceIdentity,
  string,
  url,
} from '@millrace/config'
import type { ServiceIdentity } from '@millrace/identity'
import type { LogLevel } from '@millrace/logger'
import type { MailSettings } from '@millrace/mailer'
import type { LoginLimits } from './db/login-failures.js'
import { parseEmail } from './domain/email.js'
import { type OidcProvider, oidcProviders } from './oidc/providers-field.js'
import type { PasswordCost } from './security/password-hasher.js'

export interface IamConfig {
  databaseUrl: string
  /** The Postgres log unless set. */
  events?: EventsConfig
  poolSize: number
  http: { host: string; port: number }
  /** Internal listener: IamService and Envoy's Authorization. */
  grpc: { host: string; port: number }
  identity: ServiceIdentity
  /** 32 bytes; seals the signing keys and the users' secrets. */
  masterKey: Buffer
  /** The one before, until everything is sealed under the present one: it only opens. */
  previousMasterKey?: Buffer | undefined
  logLevel: LogLevel
  admin: { email: string; password: string | undefined }
  openRegistration: boolean
  /** That one user may create. */
  projectsPerUser: number
  /** Registrations, and mail asked for without logging in, from one address. */
  registrationsPerMinute: number
  /** Whoever has not shown that the address is theirs cannot log in. */
  requireVerifiedEmail: boolean
  tokens: {
    accessMs: number
    refreshMs: number
    /** Of a whole session, however often it is refreshed. */
    sessionMs: number
  }
  mail: MailSettings
  /** Where people reach the platform; links in mail begin with it. No slash at the end. */
  publicUrl: string
  signingKeys: { rotationMs: number; leadMs: number; reloadMs: number }
  login: LoginLimits
  /** Of each caller; the bucket holds a full minute's worth. */
  requestsPerMinute: number
  /** How long a validated credential is trusted without asking again; at most 5 s. */
  credentialCacheMs: number
  /** How often the last use of API keys is written. */
  keyUsageFlushMs: number
  password: PasswordCost
  /** Where people may log in besides here. */
  oidc: readonly OidcProvider[]
}

/** How many networks it takes to close an account to those that it does not know. */
const ANYWHERE = 50

export const iamDefaults = {
  poolSize: 10,
  openRegistration: true,
  projectsPerUser: 20,
  registrationsPerMinute: 300,
  requireVerifiedEmail: false,
  tokens: { accessMs: 15 * 60_000, refreshMs: 30 * 86_400_000, sessionMs: 90 * 86_400_000 },
  publicUrl: 'http://127.0.0.1:8080',
  signingKeys: { rotationMs: 30 * 86_400_000, leadMs: 30_000, reloadMs: 5000 },
  login: {
    perAccount: 10,
    perAccountAnywhere: 10 * ANYWHERE,
    accountWindowMs: 15 * 60_000,
    perAddress: 300,
    addressWindowMs: 60_000,
    maxDelayMs: 2000,
  },
  requestsPerMinute: 60_000,
  credentialCacheMs: 2000,
  keyUsageFlushMs: 20_000,
  password: { memoryKib: 19_456, passes: 2 },
  oidc: [],
  logLevel: 'info',
} satisfies Partial<IamConfig>

function email(name: string, fallback: string): Field<string> {
  const text = string(name, { default: fallback })
  return {
    name,
    settings: text.settings,
    read(env) {
      const read = text.read(env)
      if ('fault' in read) return read
      try {
        return { value: parseEmail(read.value) }
      } catch {
        return { fault: `${name} must be an email address, not "${read.value}"` }
      }
    },
  }
}

const fields = {
  databaseUrl: serviceFields.databaseUrl,
  events: serviceFields.events,
  host: serviceFields.host,
  httpPort: serviceFields.httpPort,
  grpcPort: serviceFields.grpcPort,
  poolSize: integer('MILLRACE_DATABASE_POOL', { default: iamDefaults.poolSize, min: 2, max: 200 }),
  identity: serviceIdentity('iam'),
  masterKey: masterKey('MILLRACE_MASTER_KEY'),
  previousMasterKey: masterKey('MILLRACE_MASTER_KEY_PREVIOUS', { default: undefined }),
  logLevel: serviceFields.logLevel,
  adminEmail: email('MILLRACE_ADMIN_EMAIL', 'admin@millrace.local'),
  adminPassword: secret('MILLRACE_ADMIN_PASSWORD', { default: undefined }),
  openRegistration: boolean('MILLRACE_OPEN_REGISTRATION', { default: undefined }),
  gatewayHost: string('MILLRACE_HOST', { default: '127.0.0.1' }),
  projectsPerUser: integer('MILLRACE_QUOTA_PROJECTS', { default: iamDefaults.projectsPerUser, min: 1 }),
  registrations: integer('MILLRACE_RATE_LIMIT_REGISTER_ADDRESS', {
    default: iamDefaults.registrationsPerMinute,
    min: 1,
  }),
  requireVerifiedEmail: boolean('MILLRACE_REQUIRE_VERIFIED_EMAIL', { default: iamDefaults.requireVerifiedEmail }),
  accessMs: duration('MILLRACE_ACCESS_TOKEN_TTL', { default: iamDefaults.tokens.accessMs, min: 1000, max: 900_000 }),
  refreshMs: duration('MILLRACE_REFRESH_TOKEN_TTL', { default: iamDefaults.tokens.refreshMs, min: 1000 }),
  sessionMs: duration('MILLRACE_SESSION_TTL', { default: iamDefaults.tokens.sessionMs, min: 1000 }),
  publicUrl: url('MILLRACE_PUBLIC_URL', { default: undefined, protocols: ['http', 'https'] }),
  smtpUrl: url('MILLRACE_SMTP_URL', { default: undefined, protocols: ['smtp', 'smtps'] }),
  mailDirectory: string('MILLRACE_MAIL_DIR', { default: undefined }),
  mailFrom: string('MILLRACE_MAIL_FROM', { default: undefined }),
  gatewayPort: integer('MILLRACE_PORT', { default: 8080, min: 1, max: 65_535 }),
  rotationMs: duration('MILLRACE_SIGNING_KEY_ROTATION', {
    default: iamDefaults.signingKeys.rotationMs,
    min: 3_600_000,
  }),
  perAccount: integer('MILLRACE_RATE_LIMIT_LOGIN_ACCOUNT', { default: iamDefaults.login.perAccount, min: 1 }),
  perAddress: integer('MILLRACE_RATE_LIMIT_LOGIN_ADDRESS', { default: iamDefaults.login.perAddress, min: 1 }),
  requests: integer('MILLRACE_RATE_LIMIT_REQUESTS', { default: iamDefaults.requestsPerMinute, min: 1 }),
  oidc: oidcProviders,
  cacheMs: duration('MILLRACE_CREDENTIAL_CACHE', { default: iamDefaults.credentialCacheMs, min: 0, max: 5000 }),
}

export function readIamConfig(env: Env): IamConfig {
  const read = readConfig(env, fields)
  if (read.smtpUrl === undefined && read.mailDirectory === undefined) {
    throw new ConfigError(['MILLRACE_SMTP_URL is required, or MILLRACE_MAIL_DIR for mail as files'])
  }
  return {
    databaseUrl: read.databaseUrl,
    events: read.events,
    poolSize: read.poolSize,
    http: { host: read.host, port: read.httpPort },
    grpc: { host: read.host, port: read.grpcPort },
    identity: read.identity,
    masterKey: read.masterKey,
    previousMasterKey: read.previousMasterKey,
    logLevel: read.logLevel,
    admin: { email: read.adminEmail, password: read.adminPassword },
    // What only this machine can reach is open to whoever uses it; what others can reach has to be asked for.
    openRegistration: read.openRegistration ?? isLoopback(read.gatewayHost),
    projectsPerUser: read.projectsPerUser,
    registrationsPerMinute: read.registrations,
    requireVerifiedEmail: read.requireVerifiedEmail,
    tokens: { accessMs: read.accessMs, refreshMs: read.refreshMs, sessionMs: read.sessionMs },
    mail: { smtpUrl: read.smtpUrl, directory: read.mailDirectory, from: read.mailFrom },
    publicUrl: (read.publicUrl ?? `http://127.0.0.1:${read.gatewayPort}`).replace(/(?<!\/)\/+$/, ''),
    signingKeys: { ...iamDefaults.signingKeys, rotationMs: read.rotationMs },
    login: {
      ...iamDefaults.login,
      perAccount: read.perAccount,
      perAccountAnywhere: read.perAccount * ANYWHERE,
      perAddress: read.perAddress,
    },
    requestsPerMinute: read.requests,
    credentialCacheMs: read.cacheMs,
    keyUsageFlushMs: iamDefaults.keyUsageFlushMs,
    password: iamDefaults.password,
    oidc: read.oidc,
  }
}

export { ConfigError }
