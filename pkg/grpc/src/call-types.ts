import type * as grpc from '@grpc/grpc-js'
import type { ServiceContract } from '@millrace/contracts'
import type { Identity, ServiceName } from '@millrace/identity'

export interface CallContext {
  /** Who calls, on a public listener. */
  readonly identity?: Identity
  /** Which service calls: always on an internal listener, on a public one if it showed a service identity. */
  readonly service?: ServiceName
  /** Aborts when the caller went away, the deadline passed or the server stops. */
  readonly signal: AbortSignal
  /** Aborts as soon as the server begins to stop: long polls answer at once with what they have. */
  readonly draining: AbortSignal
  readonly metadata: grpc.Metadata
  /** Epoch milliseconds; Infinity without one. */
  readonly deadline: number
  readonly peer: string
}

export type UnaryHandler<Request, Response> = (request: Request, ctx: CallContext) => Promise<Response>
export type StreamHandler<Request, Response> = (request: Request, ctx: CallContext) => AsyncIterable<Response>

/**
 * Both sides send for as long as they like. Made for each stream; what it gives answers one message of the peer, or says
 * nothing to it. Messages are handled side by side, a bounded number at a time.
 */
export type DuplexHandler<Request, Response> = (ctx: CallContext) => (request: Request) => Promise<Response | undefined>

type TypesOf<C> = C extends ServiceContract<infer D, infer H> ? { definition: D; handlers: H } : never

/** Generated interfaces carry an index signature; only the named methods count. */
export type MethodNames<T> = keyof { [K in keyof T as string extends K ? never : number extends K ? never : K]: 1 }

type HandlerOf<F> =
  F extends grpc.handleBidiStreamingCall<infer Request, infer Response>
    ? DuplexHandler<Request, Response>
    : F extends grpc.handleServerStreamingCall<infer Request, infer Response>
      ? StreamHandler<Request, Response>
      : F extends grpc.handleUnaryCall<infer Request, infer Response>
        ? UnaryHandler<Request, Response>
        : never

/** One function for each method, named in camelCase. */
export type HandlersOf<C> = {
  [K in MethodNames<TypesOf<C>['handlers']> & string as Uncapitalize<K>]: HandlerOf<TypesOf<C>['handlers'][K]>
}

export interface ServiceImplementation<C extends ServiceContract = ServiceContract> {
  definition: C
  handlers: HandlersOf<C>
  /** No identity is asked for: only for calls that give nothing to a caller who holds nothing. */
  open?: boolean
  /** Its streams are those of workers' sessions: not counted as live streams of the project, but bounded in each process. */
  ofWorkers?: boolean
}

export const methodName = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1)
