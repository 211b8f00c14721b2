import {
  boolean,
  ConfigError,
  duration,
  type Env,
  type EventsConfig,
  type Field,
  integer,
  masterKey,
  readConfig,
  secret,
  serviceFields,
  string,
} from '@millrace/config'
import type { LogLevel } from '@millrace/logger'
import type { LoginLimits } from './db/login-failures.js'
import { parseEmail } from './domain/email.js'
import type { PasswordCost } from './security/password-hasher.js'

export interface IamConfig {
  databaseUrl: string
  /** The Postgres log unless set. */
  events?: EventsConfig
  poolSize: number
  http: { host: string; port: number }
  /** Internal listener: IamService and Envoy's Authorization. */
  grpc: { host: string; port: number }
  serviceSecret: string
  /** 32 bytes; seals the signing keys and the users' secrets. */
  masterKey: Buffer
  logLevel: LogLevel
  admin: { email: string; password: string | undefined }
  openRegistration: boolean
  tokens: { accessMs: number; refreshMs: number }
  signingKeys: { rotationMs: number; leadMs: number; reloadMs: number }
  login: LoginLimits
  /** Of each caller; the bucket holds a full minute's worth. */
  requestsPerMinute: number
  /** How long a validated credential is trusted without asking again; at most 5 s. */
  credentialCacheMs: number
  password: PasswordCost
}

export const iamDefaults = {
  poolSize: 10,
  openRegistration: true,
  tokens: { accessMs: 15 * 60_000, refreshMs: 30 * 86_400_000 },
  signingKeys: { rotationMs: 30 * 86_400_000, leadMs: 30_000, reloadMs: 5000 },
  login: { perAccount: 10, accountWindowMs: 15 * 60_000, perAddress: 300, addressWindowMs: 60_000 },
  requestsPerMinute: 60_000,
  credentialCacheMs: 2000,
  password: { memoryKib: 19_456, passes: 2 },
  logLevel: 'info',
} satisfies Partial<IamConfig>

function email(name: string, fallback: string): Field<string> {
  const text = string(name, { default: fallback })
  return {
    name,
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
  serviceSecret: serviceFields.serviceSecret,
  masterKey: masterKey('MILLRACE_MASTER_KEY'),
  logLevel: serviceFields.logLevel,
  adminEmail: email('MILLRACE_ADMIN_EMAIL', 'admin@millrace.local'),
  adminPassword: secret('MILLRACE_ADMIN_PASSWORD', { default: undefined }),
  openRegistration: boolean('MILLRACE_OPEN_REGISTRATION', { default: iamDefaults.openRegistration }),
  accessMs: duration('MILLRACE_ACCESS_TOKEN_TTL', { default: iamDefaults.tokens.accessMs, min: 1000, max: 900_000 }),
  refreshMs: duration('MILLRACE_REFRESH_TOKEN_TTL', { default: iamDefaults.tokens.refreshMs, min: 1000 }),
  rotationMs: duration('MILLRACE_SIGNING_KEY_ROTATION', {
    default: iamDefaults.signingKeys.rotationMs,
    min: 3_600_000,
  }),
  perAccount: integer('MILLRACE_RATE_LIMIT_LOGIN_ACCOUNT', { default: iamDefaults.login.perAccount, min: 1 }),
  perAddress: integer('MILLRACE_RATE_LIMIT_LOGIN_ADDRESS', { default: iamDefaults.login.perAddress, min: 1 }),
  requests: integer('MILLRACE_RATE_LIMIT_REQUESTS', { default: iamDefaults.requestsPerMinute, min: 1 }),
  cacheMs: duration('MILLRACE_CREDENTIAL_CACHE', { default: iamDefaults.credentialCacheMs, min: 0, max: 5000 }),
}

export function readIamConfig(env: Env): IamConfig {
  const read = readConfig(env, fields)
  return {
    databaseUrl: read.databaseUrl,
    events: read.events,
    poolSize: read.poolSize,
    http: { host: read.host, port: read.httpPort },
    grpc: { host: read.host, port: read.grpcPort },
    serviceSecret: read.serviceSecret,
    masterKey: read.masterKey,
    logLevel: read.logLevel,
    admin: { email: read.adminEmail, password: read.adminPassword },
    openRegistration: read.openRegistration,
    tokens: { accessMs: read.accessMs, refreshMs: read.refreshMs },
    signingKeys: { ...iamDefaults.signingKeys, rotationMs: read.rotationMs },
    login: { ...iamDefaults.login, perAccount: read.perAccount, perAddress: read.perAddress },
    requestsPerMinute: read.requests,
    credentialCacheMs: read.cacheMs,
    password: iamDefaults.password,
  }
}

export { ConfigError }
