import {
  logVerbosity,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import type { ServiceContract } from '@millrace/contracts'
import type { Logger } from '@millrace/logger'
import { HealthImplementation } from 'grpc-health-check'
import type { ServerAuth } from './authenticate.js'
import {
  type DuplexHandler,
  methodName,
  type ServiceImplementation,
  type StreamHandler,
  type UnaryHandler,
} from './call-types.js'
import { channelLimits, keepalive } from './channel-options.js'
import type { OnRefusal } from './note-refusal.js'
import { Places } from './places.js'
import { addReflection } from './reflection.js'
import { type ServerScope, serveStream, serveUnary } from './server-call.js'
import { serveDuplex } from './server-duplex.js'
import { boundStrangers, type StrangerLimits } from './strangers.js'
import { serverCredentials } from './tls-credentials.js'

export type { InternalAuth, PublicAuth, ServerAuth } from './authenticate.js'

export interface GrpcServerOptions<S extends readonly ServiceContract[]> {
  service: string
  logger: Logger
  auth: ServerAuth
  services: { [I in keyof S]: ServiceImplementation<S[I]> }
  /** Services of other listeners that clients reach at the same public address: reflection describes them too. */
  besides?: readonly ServiceContract[]
  /** How often an open public stream asks whether its identity still holds. */
  recheckMs?: number
  /** A stream of somebody outside ends when it is so old; they open it again, and are asked who they are. */
  maxAgeMs?: number
  /** What callers without a credential may keep open. */
  strangers?: StrangerLimits
  /** Streams of one project's workers at this process. */
  workerStreams?: number
  /** Told of each call of a known caller that was refused; it must not throw. */
  onRefusal?: OnRefusal
}

/** A thousand workers with both of their streams. */
const WORKER_STREAMS = 2_000

export interface GrpcServer {
  /** Resolves to the bound port; 0 takes a free one. */
  start(host: string, port: number): Promise<number>
  /** Ends streams at once, gives unary calls the grace, then cuts. */
  stop(graceMs?: number): Promise<void>
}

// The library writes unstructured lines to standard error about failures that it also returns.
setLogVerbosity(logVerbosity.NONE)

function implementationOf(scope: ServerScope, entry: ServiceImplementation): UntypedServiceImplementation {
  const handlers = entry.handlers as Record<string, unknown>
  const implementation: UntypedServiceImplementation = {}
  for (const [name, method] of Object.entries(entry.definition.definition)) {
    const handler = handlers[methodName(name)]
    if (typeof handler !== 'function') throw new Error(`${entry.definition.name}/${name} has no handler`)
    const served = { path: method.path, open: entry.open ?? false, ofWorkers: entry.ofWorkers ?? false }
    if (method.requestStream) {
      implementation[name] = serveDuplex(scope, served, handler as DuplexHandler<unknown, unknown>)
    } else if (method.responseStream) {
      implementation[name] = serveStream(scope, served, handler as StreamHandler<unknown, unknown>)
    } else {
      implementation[name] = serveUnary(scope, served, handler as UnaryHandler<unknown, unknown>)
    }
  }
  return implementation
}

function listen(server: Server, host: string, port: number, credentials: ServerCredentials): Promise<number> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`
  return new Promise((resolve, reject) => {
    server.bindAsync(target, credentials, (error, bound) => {
      if (error) reject(new Error(`cannot listen for gRPC on ${target}: ${error.message}`, { cause: error }))
      else resolve(bound)
    })
  })
}

export function createGrpcServer<const S extends readonly ServiceContract[]>(
  options: GrpcServerOptions<S>,
): GrpcServer {
  const drain = new AbortController()
  const { service, logger, auth, recheckMs = 1500, maxAgeMs = 3_600_000, workerStreams = WORKER_STREAMS } = options
  const scope: ServerScope = {
    ...{ service, logger, auth, recheckMs, maxAgeMs, draining: drain.signal },
    workerStreams: new Places(workerStreams, Number.POSITIVE_INFINITY),
    onRefusal: options.onRefusal,
  }
  const interceptors = auth.kind === 'public' ? [boundStrangers(options.strangers)] : []
  const server = new Server({ ...channelLimits, ...keepalive, interceptors })
  const entries = options.services as readonly ServiceImplementation[]
  const contracts = entries.map((entry) => entry.definition)
  for (const entry of entries) {
    server.addService(entry.definition.definition as ServiceDefinition, implementationOf(scope, entry))
  }
  const names = ['', ...contracts.map((contract) => contract.name)]
  const health = new HealthImplementation(Object.fromEntries(names.map((name) => [name, 'NOT_SERVING'])))
  health.addToServer(server)
  addReflection(server, [...contracts, ...(options.besides ?? [])])

  // Who has a certificate lets in only those that have one too.
  const tls = auth.identity?.tls
  let unwatch: (() => void) | undefined
  return {
    async start(host, port) {
      const bound = await listen(server, host, port, tls ? serverCredentials(tls) : ServerCredentials.createInsecure())
      unwatch = tls?.watch(logger)
      for (const name of names) health.setStatus(name, 'SERVING')
      return bound
    },
    async stop(graceMs = 5000) {
      for (const name of names) health.setStatus(name, 'NOT_SERVING')
      drain.abort()
      unwatch?.()
      const cut = setTimeout(() => server.forceShutdown(), graceMs)
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
      clearTimeout(cut)
    },
  }
}
