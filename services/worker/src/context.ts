import { dispatchDefinition, logServiceDefinition } from '@millrace/contracts'
import { createEgress, type Egress } from '@millrace/egress'
import { createKafkaEventBus, type KafkaEventBus } from '@millrace/events'
import { createGrpcClient, type GrpcClient } from '@millrace/grpc'
import { createIamClient, type IamClient } from '@millrace/iam-client'
import { createServiceFetch, IDENTITY_HEADER, type ServiceName } from '@millrace/identity'
import { createLogger, type Logger } from '@millrace/logger'
import { createMailer, type Mailer } from '@millrace/mailer'
import { Circuits, type Peer } from './circuit/circuits.js'
import { type ArtifactClientOptions, createArtifactClient } from './clients/artifacts.js'
import type { WorkerConfig } from './config.js'
import type { Mailing, UseMails } from './executors/email.js'
import type { Executor } from './executors/executor.js'
import { builtInExecutors, createRegistry, type ExecutorRegistry } from './executors/registry.js'
import { LogShipper } from './logs/log-shipper.js'
import type { DispatchClient } from './session/dispatch-client.js'
import { WorkStream } from './session/work-stream.js'
import { Worker } from './worker.js'

export interface WorkerDeps {
  logger: Logger
  egress: Egress
  mailer: Mailer
  useMails: UseMails
  dispatch: DispatchClient
  logs: GrpcClient<typeof logServiceDefinition>
  /** Where results are published and hints of scheduled tasks come from. */
  bus: KafkaEventBus
  /** In place of the built-in executors. */
  executors: Executor[]
  /** Called once a drain that was asked for over the wire is done. */
  onDrained: () => void
  /** Called with the session of each registration. */
  onRegistered: (sessionId: string) => void
}

export interface WorkerContext {
  config: WorkerConfig
  logger: Logger
  worker: Worker
  bus: KafkaEventBus | undefined
  executors: ExecutorRegistry
  close(): Promise<void>
}

interface BuiltInParts {
  circuits: Circuits
  egress: Egress
  mailer: Mailer | undefined
  useMails: UseMails
  logger: Logger
}

function builtIns(config: WorkerConfig, { circuits, egress, mailer, useMails, logger }: BuiltInParts): Executor[] {
  const { shell, artifactUrl } = config
  const artifacts = artifactUrl === undefined ? undefined : createArtifactClient(artifactCaller(config, artifactUrl))
  const mail = makeMail(config, mailer, useMails)
  return builtInExecutors({ circuits, egress, mail, shell: { ...shell, artifacts, logger } })
}

function artifactCaller({ apiKey, identity }: WorkerConfig, baseUrl: string): ArtifactClientOptions {
  // A project's worker comes by the gateway, as its other callers do.
  if (apiKey !== undefined) return { baseUrl, fetch, identity: () => ({ authorization: `Bearer ${apiKey}` }) }
  const token = (): string => {
    if (identity === undefined) throw new Error('a worker needs a service key or an API key')
    return identity.tokenFor('artifact')
  }
  const own = createServiceFetch(identity?.tls, 'artifact', baseUrl)
  return { baseUrl, fetch: own, identity: () => ({ [IDENTITY_HEADER]: token() }) }
}

/** A project's key where there is one; the platform's own worker shows who it is. */
const callerTo = ({ apiKey, identity }: WorkerConfig, peer: ServiceName) =>
  apiKey ? { bearer: apiKey } : (identity?.credentialsFor(peer) ?? {})

function makeMail(config: WorkerConfig, given: Mailer | undefined, useMails: UseMails): Mailing | undefined {
  const { mail = {} } = config
  const peer = smtpPeer(mail.smtpUrl)
  if (given) return { mailer: given, peer, useMails }
  const isPlaced = mail.smtpUrl !== undefined || mail.directory !== undefined
  return isPlaced ? { mailer: createMailer(mail), peer, useMails } : undefined
}

/** Mail of the platform's own worker counts; a project's worker sends through a mail server of its own. */
function makeIam({ apiKey, identity, iamGrpc }: WorkerConfig, logger: Logger): IamClient | undefined {
  if (apiKey !== undefined || identity === undefined || iamGrpc === undefined) return undefined
  return createIamClient({ address: iamGrpc, identity, logger })
}

const uncounted: UseMails = () => Promise.resolve()

function smtpPeer(url: string | undefined): Peer {
  if (url === undefined) return { host: 'folder', port: 0 }
  const { hostname, port, protocol } = new URL(url)
  return { host: hostname, port: Number(port) || (protocol === 'smtps:' ? 465 : 587) }
}

/** Without a database there is no outbox: what it publishes goes straight to the broker. */
function makeBus({ events }: WorkerConfig, logger: Logger): KafkaEventBus | undefined {
  if (events?.kind !== 'kafka') return undefined
  return createKafkaEventBus({ connection: events, clientId: 'millrace-worker', logger })
}

export function createContext(config: WorkerConfig, overrides: Partial<WorkerDeps> = {}): WorkerContext {
  const logger = overrides.logger ?? createLogger({ service: 'worker', level: config.logLevel })
  const egress = overrides.egress ?? createEgress(config.egress)
  // One replica at a time: a lease that a scheduler matched to a session waits for that session's next call there.
  const sticking = { ...callerTo(config, 'scheduler'), logger, replicas: 'first-that-answers' } as const
  const dispatch = overrides.dispatch ?? createGrpcClient(dispatchDefinition, config.schedulerGrpc, sticking)
  const work = new WorkStream(dispatch)
  const client = { ...dispatch, leaseTasks: work.leaseTasks, reportResults: work.reportResults }
  const toLogs = { ...callerTo(config, 'metadata'), logger }
  const logs = overrides.logs ?? createGrpcClient(logServiceDefinition, config.metadataGrpc, toLogs)
  const iam = makeIam(config, logger)
  const useMails = overrides.useMails ?? iam?.useMails ?? uncounted
  const circuits = new Circuits()
  const executors = createRegistry(
    overrides.executors ?? builtIns(config, { circuits, egress, mailer: overrides.mailer, useMails, logger }),
  )
  const shipper = new LogShipper({ append: (lines) => logs.append({ lines }, { timeoutMs: 10_000 }), logger })
  const { name, queues, concurrency, leaseWaitMs, drainTimeoutMs, flushTimeoutMs } = config
  const bus = overrides.bus ?? makeBus(config, logger)
  const worker = new Worker({
    ...{ client, executors, shipper, logger, name, queues },
    openCircuits: () => circuits.open(),
    ...{ concurrency, leaseWaitMs, drainTimeoutMs, flushTimeoutMs },
    publisher: config.results === 'dispatch' ? undefined : bus,
    ...(overrides.onDrained ? { onDrained: overrides.onDrained } : {}),
    ...(overrides.onRegistered ? { onRegistered: overrides.onRegistered } : {}),
  })
  return {
    ...{ config, logger, worker, bus, executors },
    async close() {
      await bus?.close()
      work.close()
      dispatch.close()
      logs.close()
      iam?.close()
      await egress.close()
    },
  }
}
