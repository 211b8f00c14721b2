import { address, type Env, integer, oneOf, readConfig, secret, string, url } from '@millrace/config'
import { type LogLevel, logLevels } from '@millrace/logger'

export interface MetadataConfig {
  databaseUrl: string
  http: { host: string; port: number }
  /** Where workers append logs. */
  publicGrpc: { host: string; port: number }
  serviceSecret: string
  iamGrpc: string
  /** Internal listener of the scheduler; without it a run is known only once its first event arrived. */
  schedulerGrpc?: string | undefined
  logLevel: LogLevel
  follow?: Partial<FollowConfig>
}

export interface FollowConfig {
  /** How often the store is asked for lines that another replica took in. */
  pollMs: number
  /** How long after the end, or after the last line, lines of it may still arrive. */
  graceMs: number
  /** A follower never outlives the end by more than this, however many lines still come. */
  maxGraceMs: number
  keepAliveMs: number
  recheckMs: number
  /** How long to wait for the first event of something whose id says that it was made just now. */
  arrivalMs: number
}

export const defaultFollow: FollowConfig = {
  pollMs: 500,
  graceMs: 1_000,
  maxGraceMs: 10_000,
  keepAliveMs: 15_000,
  recheckMs: 5_000,
  arrivalMs: 2_000,
}

export function readMetadataConfig(env: Env): MetadataConfig {
  const values = readConfig(env, {
    databaseUrl: url<string>('DATABASE_URL', { protocols: ['postgres', 'postgresql'] }),
    host: string('MILLRACE_SERVICE_HOST', { default: '127.0.0.1' }),
    httpPort: integer<number>('MILLRACE_SERVICE_HTTP_PORT', { min: 0, max: 65_535 }),
    publicGrpcPort: integer<number>('MILLRACE_SERVICE_PUBLIC_GRPC_PORT', { min: 0, max: 65_535 }),
    serviceSecret: secret<string>('MILLRACE_SERVICE_SECRET', { minLength: 16 }),
    iamGrpc: address<string>('MILLRACE_IAM_GRPC'),
    schedulerGrpc: address('MILLRACE_SCHEDULER_GRPC', { default: undefined }),
    logLevel: oneOf('MILLRACE_LOG_LEVEL', logLevels, { default: 'info' }),
  })
  return {
    databaseUrl: values.databaseUrl,
    http: { host: values.host, port: values.httpPort },
    publicGrpc: { host: values.host, port: values.publicGrpcPort },
    serviceSecret: values.serviceSecret,
    iamGrpc: values.iamGrpc,
    schedulerGrpc: values.schedulerGrpc,
    logLevel: values.logLevel,
  }
}
