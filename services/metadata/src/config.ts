import { address, type Env, type EventsConfig, readConfig, serviceFields, serviceIdentity, url } from '@millrace/config'
import type { ServiceIdentity } from '@millrace/identity'
import type { LogLevel } from '@millrace/logger'

export interface MetadataConfig {
  databaseUrl: string
  /** Jobs, runs and logs are kept there instead of in PostgreSQL. */
  mongoUrl?: string | undefined
  /** The Postgres log unless set. */
  events?: EventsConfig
  http: { host: string; port: number }
  /** Where workers append logs. */
  publicGrpc: { host: string; port: number }
  identity: ServiceIdentity
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
  /** How long to wait for the first event of something whose id says that it was made just now. */
  arrivalMs: number
  /** A follower that wants the end is never more lines behind it than this. */
  maxLagLines: number
}

export const defaultFollow: FollowConfig = {
  pollMs: 500,
  graceMs: 1_000,
  maxGraceMs: 10_000,
  keepAliveMs: 15_000,
  arrivalMs: 2_000,
  maxLagLines: 10_000,
}

export function readMetadataConfig(env: Env): MetadataConfig {
  const { databaseUrl, host, httpPort, publicGrpcPort, iamGrpc, logLevel, events } = serviceFields
  const values = readConfig(env, {
    ...{ databaseUrl, host, httpPort, publicGrpcPort, iamGrpc, logLevel, events },
    identity: serviceIdentity('metadata'),
    schedulerGrpc: address('MILLRACE_SCHEDULER_GRPC', { default: undefined }),
    mongoUrl: url('MILLRACE_MONGO_URL', { default: undefined, protocols: ['mongodb', 'mongodb+srv'] }),
  })
  return {
    databaseUrl: values.databaseUrl,
    mongoUrl: values.mongoUrl,
    events: values.events,
    http: { host: values.host, port: values.httpPort },
    publicGrpc: { host: values.host, port: values.publicGrpcPort },
    identity: values.identity,
    iamGrpc: values.iamGrpc,
    schedulerGrpc: values.schedulerGrpc,
    logLevel: values.logLevel,
  }
}
