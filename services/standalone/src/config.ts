import { resolve } from 'node:path'
import {
  boolean,
  ConfigError,
  type ConfigOf,
  type Env,
  integer,
  list,
  masterKey,
  oneOf,
  openShellFault,
  readConfig,
  secret,
  string,
  url,
} from '@millrace/config'
import { type LogLevel, logLevels } from '@millrace/logger'
import { isNetwork } from './gateway/client-address.js'

const port = { min: 1, max: 65_535 }
const durations = /^\d+(ms|s|m|h|d)$/

const fields = {
  host: string('MILLRACE_HOST', { default: '127.0.0.1', pattern: /^[0-9A-Za-z.:-]+$/, wanted: 'an address' }),
  port: integer('MILLRACE_PORT', { default: 8080, ...port }),
  grpcPort: integer('MILLRACE_GRPC_PORT', { default: 7070, ...port }),
  /** 9464, or a free port when that is taken, unless set. */
  metricsPort: integer('MILLRACE_METRICS_PORT', { default: undefined, ...port }),
  tlsCert: string('MILLRACE_TLS_CERT', { default: undefined }),
  tlsKey: string('MILLRACE_TLS_KEY', { default: undefined }),
  trustedProxies: list('MILLRACE_TRUSTED_PROXIES', { default: [] }),
  publicUrl: url('MILLRACE_PUBLIC_URL', { default: undefined, protocols: ['http', 'https'] }),
  corsOrigins: list('MILLRACE_CORS_ORIGINS', { default: [], pattern: /^https?:\/\/[A-Za-z0-9.-]+(?::\d{1,5})?$/ }),
  node: oneOf('MILLRACE_NODE', ['bundled', 'system'], { default: 'bundled' }),
  dataDir: string('MILLRACE_DATA_DIR', { default: '.millrace' }),
  cacheDir: string('MILLRACE_CACHE_DIR', { default: undefined }),
  adminEmail: string('MILLRACE_ADMIN_EMAIL', {
    default: 'admin@millrace.local',
    pattern: /^[^\s@]+@[^\s@]+$/,
    wanted: 'an email address',
    maxLength: 254,
  }),
  adminPassword: secret('MILLRACE_ADMIN_PASSWORD', { default: undefined, minLength: 12 }),
  masterKey: masterKey('MILLRACE_MASTER_KEY', { default: undefined }),
  previousMasterKey: masterKey('MILLRACE_MASTER_KEY_PREVIOUS', { default: undefined }),
  databaseUrl: url('DATABASE_URL', { default: undefined, protocols: ['postgres', 'postgresql'] }),
  smtpUrl: url('MILLRACE_SMTP_URL', { default: undefined, protocols: ['smtp', 'smtps'] }),
  workers: integer('MILLRACE_WORKERS', { default: 1, min: 0, max: 64 }),
  workerConcurrency: integer('MILLRACE_WORKER_CONCURRENCY', { default: 50, min: 1, max: 10_000 }),
  childCrashes: integer('MILLRACE_CHILD_CRASHES', { default: 5, min: 1, max: 1000 }),
  hangMs: integer('MILLRACE_HANG_MS', { default: 15_000, min: 1_000, max: 3_600_000 }),
  schedulerProfile: oneOf('MILLRACE_SCHEDULER_PROFILE', ['latency', 'throughput', 'batch'], { default: 'latency' }),
  leaseMs: integer('MILLRACE_LEASE_MS', { default: 6000, min: 1000, max: 600_000 }),
  shellEnabled: boolean('MILLRACE_SHELL_ENABLED', { default: false }),
  allowPrivateNetwork: boolean('MILLRACE_ALLOW_PRIVATE_NETWORK', { default: false }),
  egressAllow: list('MILLRACE_EGRESS_ALLOW', { default: [], pattern: /^(\[[0-9A-Fa-f:.]+\]|[^\s:]+):\d{1,5}$/ }),
  rateLimitRequests: integer('MILLRACE_RATE_LIMIT_REQUESTS', { default: 60_000, min: 1 }),
  rateLimitLoginAccount: integer('MILLRACE_RATE_LIMIT_LOGIN_ACCOUNT', { default: 10, min: 1 }),
  rateLimitLoginAddress: integer('MILLRACE_RATE_LIMIT_LOGIN_ADDRESS', { default: 300, min: 1 }),
  openRegistration: boolean('MILLRACE_OPEN_REGISTRATION', { default: undefined }),
  requireVerifiedEmail: boolean('MILLRACE_REQUIRE_VERIFIED_EMAIL', { default: false }),
  webhookRetrySchedule: list('MILLRACE_WEBHOOK_RETRY_SCHEDULE', { default: [], pattern: durations }),
  s3PublicUrl: url('MILLRACE_S3_PUBLIC_URL', { default: undefined, protocols: ['http', 'https'] }),
  logLevel: oneOf<LogLevel>('MILLRACE_LOG_LEVEL', logLevels, { default: 'info' }),
}

/** The master key stays text: what is told to the children must survive the channel to them. */
export type StandaloneConfig = Omit<ConfigOf<typeof fields>, 'masterKey' | 'previousMasterKey'> & {
  masterKey: string | undefined
}

/** Every fault at once: those of single settings and those between them. */
export function readStandaloneConfig(env: Env): StandaloneConfig {
  const faults = [...samePortFault(env), ...tlsFaults(env), ...proxyFaults(env), ...openShellFault(env)]
  try {
    const { masterKey: key, previousMasterKey: _checked, ...config } = readConfig(env, fields)
    if (faults.length === 0) {
      return { ...config, dataDir: resolve(config.dataDir), masterKey: key?.toString('base64') }
    }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    faults.unshift(...error.faults)
  }
  throw new ConfigError(faults)
}

function tlsFaults(env: Env): string[] {
  const set = ['MILLRACE_TLS_CERT', 'MILLRACE_TLS_KEY'].filter((name) => (env[name] ?? '').trim() !== '')
  return set.length === 1 ? ['MILLRACE_TLS_CERT and MILLRACE_TLS_KEY must be set together'] : []
}

function proxyFaults(env: Env): string[] {
  const networks = (env.MILLRACE_TRUSTED_PROXIES ?? '').split(',').map((text) => text.trim())
  return networks
    .filter((text) => text !== '' && !isNetwork(text))
    .map((text) => `MILLRACE_TRUSTED_PROXIES: ${text} is neither an address nor a network like 10.0.0.0/8`)
}

function samePortFault(env: Env): string[] {
  const http = (env.MILLRACE_PORT ?? '').trim() || '8080'
  const grpc = (env.MILLRACE_GRPC_PORT ?? '').trim() || '7070'
  const metrics = (env.MILLRACE_METRICS_PORT ?? '').trim()
  const pairs = [
    ['MILLRACE_PORT', http, 'MILLRACE_GRPC_PORT', grpc],
    ['MILLRACE_PORT', http, 'MILLRACE_METRICS_PORT', metrics],
    ['MILLRACE_GRPC_PORT', grpc, 'MILLRACE_METRICS_PORT', metrics],
  ] as const
  return pairs
    .filter(([, one, , other]) => one === other)
    .map(([name, port, otherName]) => `${name} and ${otherName} must differ, both are ${port}`)
}
