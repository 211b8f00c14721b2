import {
  boolean,
  duration,
  type Env,
  type EventsConfig,
  integer,
  oneOf,
  readConfig,
  serviceFields,
  serviceIdentity,
  url,
} from '@millrace/config'
import type { ServiceIdentity } from '@millrace/identity'
import type { LogLevel } from '@millrace/logger'
import { type ProfileSettings, profileSettings, profiles } from './profiles.js'

export interface SchedulerConfig {
  databaseUrl: string
  /** The Postgres log unless set. */
  events?: EventsConfig
  http: { host: string; port: number }
  /** Internal listener: commands and queries of other services. */
  grpc: { host: string; port: number }
  /** Queries and Dispatch for workers and outside clients. */
  publicGrpc: { host: string; port: number }
  identity: ServiceIdentity
  iamGrpc: string
  workflowGrpc: string
  /** The artifact service, for outputs over 64 KiB. */
  artifactUrl?: string | undefined
  logLevel: LogLevel
  leaseMs: number
  /** How long ended runs are kept of which nobody said it; 0 = for ever. How often is looked. */
  retention?: { keepMs: number; everyMs: number }
  /** From when on a queue has a backlog: so many ready tasks, or one that waits so long. */
  backlog?: { tasks: number; waitMs: number }
  engine?: Partial<EngineConfig>
}

export interface EngineConfig extends ProfileSettings {
  cachedPlans: number
  planMaxAgeMs: number
  reconcileMs: number
}

export const defaultEngine: EngineConfig = {
  ...profileSettings.latency,
  cachedPlans: 1000,
  planMaxAgeMs: 3_600_000,
  reconcileMs: 5000,
}

export const defaultBacklog = { tasks: 1000, waitMs: 300_000 }

export const defaultRetention = { keepMs: 90 * 86_400_000, everyMs: 15_000 }

export function readSchedulerConfig(env: Env): SchedulerConfig {
  const { schedulerGrpc: _itself, ...shared } = serviceFields
  const values = readConfig(env, {
    ...shared,
    identity: serviceIdentity('scheduler'),
    artifactUrl: url('MILLRACE_ARTIFACT_URL', { default: undefined, protocols: ['http', 'https'] }),
    leaseMs: integer('MILLRACE_LEASE_MS', { default: 6000, min: 1000, max: 600_000 }),
    keepMs: duration('MILLRACE_RETENTION', { default: defaultRetention.keepMs }),
    sweepMs: duration('MILLRACE_RETENTION_INTERVAL', { default: defaultRetention.everyMs, min: 100, max: 3_600_000 }),
    backlogTasks: integer('MILLRACE_BACKLOG_TASKS', { default: defaultBacklog.tasks, min: 1, max: 100_000 }),
    backlogWaitMs: duration('MILLRACE_BACKLOG_WAIT', { default: defaultBacklog.waitMs, min: 1000 }),
    profile: oneOf('MILLRACE_SCHEDULER_PROFILE', profiles, { default: 'latency' }),
    shards: integer('MILLRACE_SCHEDULER_SHARDS', { default: undefined, min: 1, max: 64 }),
    maxBatch: integer('MILLRACE_SCHEDULER_MAX_BATCH', { default: undefined, min: 1, max: 10_000 }),
    cachedRuns: integer('MILLRACE_SCHEDULER_CACHED_RUNS', { default: undefined, min: 1, max: 1_000_000 }),
    syncMatch: boolean('MILLRACE_SCHEDULER_SYNC_MATCH', { default: undefined }),
    pollMs: integer('MILLRACE_SCHEDULER_POLL_MS', { default: undefined, min: 10, max: 5000 }),
    hintWithinMs: integer('MILLRACE_SCHEDULER_HINT_MS', { default: undefined, min: 0, max: 5000 }),
    cachedPlans: integer('MILLRACE_SCHEDULER_CACHED_PLANS', {
      default: defaultEngine.cachedPlans,
      min: 1,
      max: 100_000,
    }),
  })
  const { host, httpPort, grpcPort, publicGrpcPort, profile, cachedPlans, keepMs, sweepMs, ...others } = values
  const { backlogTasks, backlogWaitMs, shards, maxBatch, cachedRuns, syncMatch, pollMs, hintWithinMs, ...rest } = others
  const preset = profileSettings[profile]
  return {
    ...rest,
    http: { host, port: httpPort },
    grpc: { host, port: grpcPort },
    publicGrpc: { host, port: publicGrpcPort },
    retention: { keepMs, everyMs: sweepMs },
    backlog: { tasks: backlogTasks, waitMs: backlogWaitMs },
    engine: {
      shards: shards ?? preset.shards,
      maxBatch: maxBatch ?? preset.maxBatch,
      cachedRuns: cachedRuns ?? preset.cachedRuns,
      syncMatch: syncMatch ?? preset.syncMatch,
      pollMs: pollMs ?? preset.pollMs,
      hintWithinMs: hintWithinMs ?? preset.hintWithinMs,
      cachedPlans,
    },
  }
}
