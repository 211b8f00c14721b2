import { address, type Env, integer, oneOf, readConfig, secret, string, url } from '@millrace/config'
import { type LogLevel, logLevels } from '@millrace/logger'

export interface SchedulerConfig {
  databaseUrl: string
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
  lanes: number
  maxBatch: number
  cachedRuns: number
  cachedPlans: number
  planMaxAgeMs: number
  reconcileMs: number
}

export const defaultEngine: EngineConfig = {
  lanes: 2,
  maxBatch: 500,
  cachedRuns: 10_000,
  cachedPlans: 1000,
  planMaxAgeMs: 3_600_000,
  reconcileMs: 2000,
}

const port = (name: string) => integer<number>(name, { min: 0, max: 65_535 })

export function readSchedulerConfig(env: Env): SchedulerConfig {
  const values = readConfig(env, {
    databaseUrl: url<string>('DATABASE_URL', { protocols: ['postgres', 'postgresql'] }),
    host: string('MILLRACE_SERVICE_HOST', { default: '127.0.0.1' }),
    httpPort: port('MILLRACE_SERVICE_HTTP_PORT'),
    grpcPort: port('MILLRACE_SERVICE_GRPC_PORT'),
    publicGrpcPort: port('MILLRACE_SERVICE_PUBLIC_GRPC_PORT'),
    serviceSecret: secret<string>('MILLRACE_SERVICE_SECRET', { minLength: 16 }),
    iamGrpc: address<string>('MILLRACE_IAM_GRPC'),
    workflowGrpc: address<string>('MILLRACE_WORKFLOW_GRPC'),
    logLevel: oneOf('MILLRACE_LOG_LEVEL', logLevels, { default: 'info' }),
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
