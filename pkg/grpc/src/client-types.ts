import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ServiceContract } from '@millrace/contracts'
import type { MethodNames } from './call-types.js'

export interface CallOptions {
  /** Unary calls take the client's default; streams have no deadline unless one is given. */
  timeoutMs?: number
  signal?: AbortSignal
}

type ClientMethod<M, F> =
  M extends MethodDefinition<infer Request, infer _R, infer _RO, infer Response>
    ? F extends grpc.handleServerStreamingCall<infer _A, infer _B>
      ? (request: Request, options?: CallOptions) => AsyncIterable<Response>
      : (request: Request, options?: CallOptions) => Promise<Response>
    : never

export type GrpcClient<C> =
  C extends ServiceContract<infer D, infer H>
    ? { [K in MethodNames<D> & MethodNames<H> & string as Uncapitalize<K>]: ClientMethod<D[K], H[K]> } & {
        close(): void
      }
    : never
