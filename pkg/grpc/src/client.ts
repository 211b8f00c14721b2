import {
  type ChannelCredentials,
  Client,
  credentials,
  type CallOptions as GrpcCallOptions,
  Metadata,
  type MethodDefinition,
} from '@grpc/grpc-js'
import type { ServiceContract } from '@millrace/contracts'
import { cancelled } from '@millrace/errors'
import type { PeerTls } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import { currentTraceparent } from '@millrace/telemetry'
import { methodName } from './call-types.js'
import { channelLimits, keepalive, lean, type Replicas, reconnect, targetOf } from './channel-options.js'
import type { CallOptions, Duplex, DuplexListener, GrpcClient } from './client-types.js'
import { appErrorOf } from './status-mapping.js'
import { channelCredentials, peerName } from './tls-credentials.js'

export interface GrpcClientOptions {
  /** Asked for each call, so it may change; `ServiceIdentity.tokenFor` caches. */
  serviceToken?: () => string
  /** A caller's own credential, without the word Bearer. */
  bearer?: string | (() => string)
  /** Slug of the project to act in. */
  project?: string
  defaultTimeoutMs?: number
  logger?: Logger
  credentials?: ChannelCredentials
  /** The service that is called, where the inside speaks TLS. */
  tls?: PeerTls
  /** Where several addresses are given. */
  replicas?: Replicas
}

type AnyMethod = MethodDefinition<unknown, unknown>

function metadataOf(options: GrpcClientOptions): Metadata {
  const metadata = new Metadata()
  const { bearer } = options
  const token = options.serviceToken?.() ?? (typeof bearer === 'function' ? bearer() : bearer)
  if (token !== undefined) metadata.set('authorization', `Bearer ${token}`)
  if (options.project !== undefined) metadata.set('x-millrace-project', options.project)
  const traceparent = currentTraceparent()
  if (traceparent !== undefined) metadata.set('traceparent', traceparent)
  return metadata
}

const deadlineIn = (timeoutMs: number | undefined): GrpcCallOptions =>
  timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs }

const aborted = () => cancelled('cancelled', 'The call was cancelled.')

function unary(client: Client, method: AnyMethod, options: GrpcClientOptions) {
  const { defaultTimeoutMs = 5000 } = options
  return (request: unknown, { timeoutMs = defaultTimeoutMs, signal }: CallOptions = {}): Promise<unknown> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(aborted())
      const call = client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadataOf(options),
        deadlineIn(timeoutMs),
        (error, response) => {
          signal?.removeEventListener('abort', cancel)
          if (error) reject(appErrorOf(error))
          else resolve(response)
        },
      )
      function cancel(): void {
        call.cancel()
      }
      signal?.addEventListener('abort', cancel, { once: true })
    })
}

function serverStream(client: Client, method: AnyMethod, options: GrpcClientOptions) {
  return async function* (request: unknown, { timeoutMs, signal }: CallOptions = {}): AsyncGenerator<unknown> {
    if (signal?.aborted) throw aborted()
    const call = client.makeServerStreamRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      metadataOf(options),
      deadlineIn(timeoutMs),
    )
    const cancel = () => call.cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    // Cancelling after the reader left makes the call emit an error that nobody waits for any more.
    call.on('error', () => undefined)
    try {
      for await (const message of call) yield message
    } catch (error) {
      throw appErrorOf(error)
    } finally {
      signal?.removeEventListener('abort', cancel)
      call.cancel()
    }
  }
}

function duplex(client: Client, method: AnyMethod, options: GrpcClientOptions) {
  return (listener: DuplexListener<unknown>): Duplex<unknown> => {
    const { path, requestSerialize, responseDeserialize } = method
    const call = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadataOf(options))
    let ended = false
    const end = (error?: unknown) => {
      if (ended) return
      ended = true
      listener.onEnd(error === undefined ? undefined : appErrorOf(error))
    }
    call.on('data', (message: unknown) => listener.onMessage(message))
    call.on('error', end)
    call.on('end', () => end())
    return {
      write: (request) => {
        if (!ended) call.write(request)
      },
      end: () => call.end(),
      cancel: () => call.cancel(),
    }
  }
}

function caller(client: Client, method: AnyMethod, options: GrpcClientOptions): unknown {
  if (method.requestStream && method.responseStream) return duplex(client, method, options)
  return method.responseStream ? serverStream(client, method, options) : unary(client, method, options)
}

/** A stream begins when it is first read from. */
export function createGrpcClient<C extends ServiceContract>(
  contract: C,
  address: string,
  options: GrpcClientOptions = {},
): GrpcClient<C> {
  const { target, options: sharing } = targetOf(address, options.replicas ?? 'in-turn')
  const { tls } = options
  const channel = options.credentials ?? (tls ? channelCredentials(tls) : credentials.createInsecure())
  const client = new Client(target, channel, {
    ...sharing,
    ...(tls ? peerName(tls) : {}),
    ...channelLimits,
    ...lean,
    ...keepalive,
    ...reconnect,
  })
  const methods: Record<string, unknown> = { close: () => client.close() }
  for (const [name, method] of Object.entries(contract.definition)) {
    methods[methodName(name)] = caller(client, method as AnyMethod, options)
  }
  return methods as GrpcClient<C>
}
