import { type Env, type EventsConfig, integer, readConfig, serviceFields } from '@millrace/config'
import type { LogLevel } from '@millrace/logger'
import type { QueueProfile } from './db/control.js'

export interface SchedulerConfig {
  databaseUrl: string
  /** The Postgres log unless set. */
  events?: EventsConfig
  http: { host: string; port: number }
  /** Internal listener: commands and queries of other services. */
  grpc: { host: string; port: number }
  /** Queries and Dispatch for workers and outside clients. */
  publicGrpc: { host: string; port: number }
  serviceSecret: string
  iamGrpc: string
  workflowGrpc: string
  logLevel: LogLevel
  leaseMs: number
  engine?: Partial<EngineConfig>
}

export interface EngineConfig {
  profile: QueueProfile
  lanes: number
  maxBatch: number
  cachedRuns: number
  cachedPlans: number
  planMaxAgeMs: number
  reconcileMs: number
}

export const defaultEngine: EngineConfig = {
  profile: 'latency',
  lanes: 2,
  maxBatch: 500,
  cachedRuns: 10_000,
  cachedPlans: 1000,
  planMaxAgeMs: 3_600_000,
  reconcileMs: 2000,
}

export function readSchedulerConfig(env: Env): SchedulerConfig {
  const { schedulerGrpc: _itself, ...shared } = serviceFields
  const values = readConfig(env, {
    ...shared,
    leaseMs: integer('MILLRACE_LEASE_MS', { default: 6000, min: 1000, max: 600_000 }),
    lanes: integer('MILLRACE_SCHEDULER_LANES', { default: defaultEngine.lanes, min: 1, max: 64 }),
    cachedRuns: integer('MILLRACE_SCHEDULER_CACHED_RUNS', {
      default: defaultEngine.cachedRuns,
      min: 1,
      max: 1_000_000,
    }),
    cachedPlans: integer('MILLRACE_SCHEDULER_CACHED_PLANS', {
      default: defaultEngine.cachedPlans,
      min: 1,
      max: 100_000,
    }),
  })
  const { host, httpPort, grpcPort, publicGrpcPort, lanes, cachedRuns, cachedPlans, ...rest } = values
  return {
    ...rest,
    http: { host, port: httpPort },
    grpc: { host, port: grpcPort },
    publicGrpc: { host, port: publicGrpcPort },
    engine: { lanes, cachedRuns, cachedPlans },
  }
}
