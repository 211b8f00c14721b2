import { hostname } from 'node:os'
import {
  address,
  boolean,
  ConfigError,
  duration,
  type EventsConfig,
  integer,
  list,
  oneOf,
  openShellFault,
  optionalServiceIdentity,
  readConfig,
  secret,
  serviceFields,
  string,
  url,
} from '@millrace/config'
import type { ServiceIdentity } from '@millrace/identity'
import type { LogLevel } from '@millrace/logger'

export interface WorkerConfig {
  /** The scheduler's public listener, where Dispatch is. */
  schedulerGrpc: string
  /** The listener that has LogService. */
  metadataGrpc: string
  /** Internal control: status, pause, resume, drain. */
  grpc: { host: string; port: number }
  /** Health and metrics; none unless set. */
  http?: { host: string; port: number }
  /** Absent from a worker that has a project's key alone. */
  identity?: ServiceIdentity | undefined
  /** Kafka, to carry results and hints of scheduled tasks; neither without it. */
  events?: EventsConfig
  /** The first choice for results: events where there is Kafka, unless set. */
  results?: 'events' | 'dispatch' | undefined
  /** A project's own key: the worker then leases that project's tasks alone. Without it, a service identity. */
  apiKey?: string
  name: string
  queues: string[]
  concurrency: number
  leaseWaitMs: number
  drainTimeoutMs: number
  flushTimeoutMs: number
  egress: { allowPrivate: boolean; allow: string[] }
  shell: {
    enabled: boolean
    /** Ids of the projects that may use it; all when undefined. */
    projects?: ReadonlySet<string>
    isolation?: 'auto' | 'none'
    user?: { uid: number; gid: number }
  }
  /** Where `email` goes; without it this worker leaves such tasks to others. */
  mail?: { smtpUrl?: string | undefined; directory?: string | undefined; from?: string | undefined }
  /** Where mails are counted; a worker with a project's key has its own mail server and counts nothing. */
  iamGrpc?: string | undefined
  /** For files of `shell`: the artifact service, or the gateway for a worker with a key. */
  artifactUrl?: string
  /** End when the channel to the parent process closes, so that no worker outlives a killed supervisor. */
  exitWithParent: boolean
  logLevel: LogLevel
}

/** What the scheduler takes as a name of a worker or a queue. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/
const queuePattern = new RegExp(`^\\*$|${namePattern.source}`)

function defaultName(): string {
  const host = hostname()
    .replace(/[^A-Za-z0-9._-]/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
  return `${(host || 'worker').slice(0, 48)}-${process.pid}`
}

const fields = {
  schedulerGrpc: address('MILLRACE_SCHEDULER_PUBLIC_GRPC'),
  metadataGrpc: address('MILLRACE_METADATA_GRPC'),
  iamGrpc: address('MILLRACE_IAM_GRPC', { default: undefined }),
  host: serviceFields.host,
  grpcPort: integer('MILLRACE_SERVICE_GRPC_PORT', { default: 0, min: 0, max: 65_535 }),
  httpPort: integer('MILLRACE_SERVICE_HTTP_PORT', { default: undefined, min: 0, max: 65_535 }),
  identity: optionalServiceIdentity('worker'),
  events: serviceFields.events,
  resultsRoad: oneOf('WORKER_RESULTS', ['', 'events', 'dispatch'], { default: '' }),
  apiKey: secret('MILLRACE_WORKER_API_KEY', { default: undefined }),
  name: string('MILLRACE_WORKER_NAME', {
    default: defaultName(),
    pattern: namePattern,
    wanted: 'up to 63 letters, digits, dots, dashes and underscores',
  }),
  /** `*` is every queue: the platform's own worker serves them all unless told otherwise. */
  queues: list('MILLRACE_WORKER_QUEUES', { default: ['*'], pattern: queuePattern }),
  concurrency: integer('MILLRACE_WORKER_CONCURRENCY', { default: 50, min: 1, max: 10_000 }),
  leaseWaitMs: duration('MILLRACE_WORKER_LEASE_WAIT', { default: 15_000, min: 10 }),
  drainTimeoutMs: duration('MILLRACE_WORKER_DRAIN_TIMEOUT', { default: 20_000 }),
  flushTimeoutMs: duration('MILLRACE_WORKER_FLUSH_TIMEOUT', { default: 5_000 }),
  allowPrivate: boolean('MILLRACE_ALLOW_PRIVATE_NETWORK', { default: false }),
  allow: list('MILLRACE_EGRESS_ALLOW', { default: [] }),
  shellEnabled: boolean('MILLRACE_SHELL_ENABLED', { default: false }),
  /** Ids and not slugs: a slug may be taken again by somebody else once its project is gone. */
  shellProjects: list('MILLRACE_SHELL_PROJECTS', {
    default: ['*'],
    pattern: /^(\*|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
  }),
  shellIsolation: oneOf('MILLRACE_SHELL_ISOLATION', ['auto', 'none'], { default: 'auto' }),
  shellUid: integer('MILLRACE_SHELL_UID', { default: undefined, min: 1, max: 2 ** 31 }),
  shellGid: integer('MILLRACE_SHELL_GID', { default: undefined, min: 1, max: 2 ** 31 }),
  smtpUrl: url('MILLRACE_SMTP_URL', { default: undefined, protocols: ['smtp', 'smtps'] }),
  mailDirectory: string('MILLRACE_MAIL_DIR', { default: undefined }),
  mailFrom: string('MILLRACE_MAIL_FROM', { default: undefined }),
  artifactUrl: url('MILLRACE_ARTIFACT_URL', { default: undefined, protocols: ['http', 'https'] }),
  exitWithParent: boolean('MILLRACE_WORKER_EXIT_WITH_PARENT', { default: false }),
  logLevel: serviceFields.logLevel,
}

export function readWorkerConfig(env: Readonly<Record<string, string | undefined>>): WorkerConfig {
  const { host, grpcPort, httpPort, apiKey, allowPrivate, allow, artifactUrl, ...more } = readConfig(env, fields)
  const {
    shellEnabled,
    shellProjects,
    shellIsolation,
    shellUid,
    shellGid,
    smtpUrl,
    mailDirectory: directory,
    mailFrom: from,
    resultsRoad,
    ...rest
  } = more
  if (apiKey === undefined && rest.identity === undefined) {
    throw new ConfigError(['MILLRACE_SERVICE_KEY is required unless MILLRACE_WORKER_API_KEY is set'])
  }
  // A project's key leases the tasks of that project alone.
  const shellFaults = apiKey === undefined ? openShellFault(env) : []
  if (shellFaults.length > 0) throw new ConfigError(shellFaults)
  if (resultsRoad === 'events' && rest.events.kind !== 'kafka') {
    throw new ConfigError(['WORKER_RESULTS=events needs MILLRACE_EVENTS=kafka'])
  }
  return {
    ...rest,
    ...(resultsRoad === '' ? {} : { results: resultsRoad }),
    shell: {
      enabled: shellEnabled,
      isolation: shellIsolation,
      ...(shellProjects.includes('*') ? {} : { projects: new Set(shellProjects) }),
      ...shellUser(shellUid, shellGid),
    },
    ...(smtpUrl === undefined && directory === undefined ? {} : { mail: { smtpUrl, directory, from } }),
    ...(artifactUrl === undefined ? {} : { artifactUrl }),
    grpc: { host, port: grpcPort },
    ...(httpPort === undefined ? {} : { http: { host, port: httpPort } }),
    ...(apiKey === undefined ? {} : { apiKey }),
    egress: { allowPrivate, allow },
  }
}

function shellUser(uid: number | undefined, gid: number | undefined): { user?: { uid: number; gid: number } } {
  if (uid !== undefined && gid !== undefined) return { user: { uid, gid } }
  if (uid === undefined && gid === undefined) return {}
  throw new ConfigError(['MILLRACE_SHELL_UID and MILLRACE_SHELL_GID are given together or not at all'])
}
