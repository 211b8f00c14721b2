import { fileURLToPath } from 'node:url'
import {
  address,
  ConfigError,
  derivedKey,
  type Env,
  type EventsConfig,
  eventsField,
  integer,
  list,
  oneOf,
  previousKey,
  readConfig,
  serviceIdentity,
  string,
  url,
} from '@millrace/config'
import type { ServiceIdentity } from '@millrace/identity'
import { type LogLevel, logLevels } from '@millrace/logger'

export interface WorkflowConfig {
  databaseUrl: string
  /** The Postgres log unless set. */
  events?: EventsConfig
  http: { host: string; port: number }
  grpc: { host: string; port: number }
  identity: ServiceIdentity
  iamGrpc: string
  schedulerGrpc: string
  logLevel: LogLevel
  /** Encrypts the secrets by which hooks verify their callers. */
  hookKey: Buffer
  /** The one before, while what it sealed is sealed anew. */
  previousHookKey?: Buffer | undefined
  /** Calls of one hook a minute. */
  hookRatePerMinute?: number
  /** What `/readyz` asks beside the database: `http://…/readyz`, or `grpc://host:port` for grpc.health.v1. Of
   *  several under one name one is enough. */
  dependencies?: Readonly<Record<string, readonly string[]>>
  /** The console's built files. */
  consoleDir?: string
}

/** Where a build in the repository leaves them, and where the images have them. */
export const defaultConsoleDir = fileURLToPath(new URL('../../../web/dist', import.meta.url))

export const defaultHookRate = 600

export function readWorkflowConfig(env: Env): WorkflowConfig {
  const values = readConfig(env, {
    events: eventsField,
    databaseUrl: url<string>('DATABASE_URL', { protocols: ['postgres', 'postgresql'] }),
    host: string('MILLRACE_SERVICE_HOST', { default: '127.0.0.1' }),
    httpPort: integer<number>('MILLRACE_SERVICE_HTTP_PORT', { min: 0, max: 65_535 }),
    grpcPort: integer<number>('MILLRACE_SERVICE_GRPC_PORT', { min: 0, max: 65_535 }),
    identity: serviceIdentity('workflow'),
    iamGrpc: address<string>('MILLRACE_IAM_GRPC'),
    schedulerGrpc: address<string>('MILLRACE_SCHEDULER_GRPC'),
    logLevel: oneOf('MILLRACE_LOG_LEVEL', logLevels, { default: 'info' }),
    hookKey: derivedKey<Buffer>('MILLRACE_WORKFLOW_KEY'),
    previousHookKey: previousKey('MILLRACE_WORKFLOW_KEY'),
    hookRatePerMinute: integer('MILLRACE_RATE_LIMIT_HOOKS', { default: defaultHookRate, min: 1, max: 1_000_000 }),
    dependencies: list('MILLRACE_READY_DEPENDENCIES', { default: [] }),
    consoleDir: string('MILLRACE_CONSOLE_DIR', { default: defaultConsoleDir }),
  })
  return {
    databaseUrl: values.databaseUrl,
    events: values.events,
    http: { host: values.host, port: values.httpPort },
    grpc: { host: values.host, port: values.grpcPort },
    identity: values.identity,
    iamGrpc: values.iamGrpc,
    schedulerGrpc: values.schedulerGrpc,
    logLevel: values.logLevel,
    hookKey: values.hookKey,
    previousHookKey: values.previousHookKey,
    hookRatePerMinute: values.hookRatePerMinute,
    dependencies: readDependencies(values.dependencies),
    consoleDir: values.consoleDir,
  }
}

/** `name=url` pairs. */
function readDependencies(pairs: readonly string[]): Record<string, string[]> {
  const faults: string[] = []
  const dependencies: Record<string, string[]> = {}
  for (const pair of pairs) {
    const match = /^([a-z][a-z0-9-]*)=((?:https?|grpc):\/\/\S+)$/.exec(pair)
    const [, name, url] = match ?? []
    if (name === undefined || url === undefined)
      faults.push(`MILLRACE_READY_DEPENDENCIES must hold pairs like iam=http://host:port/readyz, not "${pair}"`)
    else dependencies[name] = [...(dependencies[name] ?? []), url]
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return dependencies
}
