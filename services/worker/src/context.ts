import { dispatchDefinition, logServiceDefinition } from '@millrace/contracts'
import { createEgress, type Egress } from '@millrace/egress'
import { createKafkaEventBus, type KafkaEventBus } from '@millrace/events'
import { createGrpcClient, type GrpcClient } from '@millrace/grpc'
import { IDENTITY_HEADER, signServiceToken } from '@millrace/identity'
import { createLogger, type Logger } from '@millrace/logger'
import { createFileMailer, createSmtpMailer, type Mailer } from '@millrace/mailer'
import type { Peer } from './circuit/circuits.js'
import { type ArtifactClientOptions, createArtifactClient } from './clients/artifacts.js'
import type { WorkerConfig } from './config.js'
import type { Executor } from './executors/executor.js'
import { builtInExecutors, createRegistry, type ExecutorRegistry } from './executors/registry.js'
import { LogShipper } from './logs/log-shipper.js'
import type { DispatchClient } from './session/dispatch-client.js'
import { Worker } from './worker.js'

export interface WorkerDeps {
  logger: Logger
  egress: Egress
  mailer: Mailer
  dispatch: DispatchClient
  logs: GrpcClient<typeof logServiceDefinition>
  /** Where results are published and the doorbell rings. */
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

function builtIns(config: WorkerConfig, egress: Egress, mailer: Mailer | undefined, logger: Logger): Executor[] {
  const { shell, artifactUrl } = config
  const artifacts = artifactUrl === undefined ? undefined : createArtifactClient(artifactCaller(config, artifactUrl))
  return builtInExecutors({ egress, mail: makeMail(config, mailer), shell: { ...shell, artifacts, logger } })
}

function artifactCaller({ apiKey, serviceSecret }: WorkerConfig, baseUrl: string): ArtifactClientOptions {
  const identity = (): Record<string, string> =>
    apiKey === undefined
      ? { [IDENTITY_HEADER]: signServiceToken(serviceSecret, 'worker') }
      : { authorization: `Bearer ${apiKey}` }
  return { baseUrl, identity }
}

function makeMail({ mail }: WorkerConfig, given: Mailer | undefined): { mailer: Mailer; peer: Peer } | undefined {
  const { smtpUrl, directory, from } = mail ?? {}
  const peer = smtpPeer(smtpUrl)
  if (given) return { mailer: given, peer }
  if (smtpUrl !== undefined) return { mailer: createSmtpMailer(smtpUrl, { from }), peer }
  return directory === undefined ? undefined : { mailer: createFileMailer(directory, { from }), peer }
}

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
  const identity = config.apiKey
    ? { bearer: config.apiKey }
    : { serviceToken: () => signServiceToken(config.serviceSecret, 'worker') }
  // One replica at a time: a lease that a scheduler matched to a session waits for that session's next call there.
  const sticking = { ...identity, logger, replicas: 'first-that-answers' } as const
  const dispatch = overrides.dispatch ?? createGrpcClient(dispatchDefinition, config.schedulerGrpc, sticking)
  const logs = overrides.logs ?? createGrpcClient(logServiceDefinition, config.metadataGrpc, { ...identity, logger })
  const executors = createRegistry(overrides.executors ?? builtIns(config, egress, overrides.mailer, logger))
  const shipper = new LogShipper({ append: (lines) => logs.append({ lines }, { timeoutMs: 10_000 }), logger })
  const { name, queues, concurrency, leaseWaitMs, drainTimeoutMs, flushTimeoutMs } = config
  const bus = overrides.bus ?? makeBus(config, logger)
  const worker = new Worker({
    ...{ client: dispatch, executors, shipper, logger, name, queues },
    ...{ concurrency, leaseWaitMs, drainTimeoutMs, flushTimeoutMs },
    publisher: config.results === 'dispatch' ? undefined : bus,
    ...(overrides.onDrained ? { onDrained: overrides.onDrained } : {}),
    ...(overrides.onRegistered ? { onRegistered: overrides.onRegistered } : {}),
  })
  return {
    ...{ config, logger, worker, bus, executors },
    async close() {
      await bus?.close()
      dispatch.close()
      logs.close()
      await egress.close()
    },
  }
}
