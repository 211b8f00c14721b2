import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ServiceContract } from '@millrace/contracts'
import type { AppError } from '@millrace/errors'
import type { MethodNames } from './call-types.js'

export interface CallOptions {
  /** Unary calls take the client's default; streams have no deadline unless one is given. */
  timeoutMs?: number
  signal?: AbortSignal
}

export interface Duplex<Request> {
  /** What is written after the end goes nowhere. */
  write(request: Request): void
  /** Nothing more will be written; answers still come. */
  end(): void
  cancel(): void
}

export interface DuplexListener<Response> {
  onMessage(response: Response): void
  /** Once; without an error when the peer ended it well. */
  onEnd(error: AppError | undefined): void
}

type ClientMethod<M, F> =
  M extends MethodDefinition<infer Request, infer _R, infer _RO, infer Response>
    ? F extends grpc.handleBidiStreamingCall<infer _A, infer _B>
      ? (listener: DuplexListener<Response>) => Duplex<Request>
      : F extends grpc.handleServerStreamingCall<infer _A, infer _B>
        ? (request: Request, options?: CallOptions) => AsyncIterable<Response>
        : (request: Request, options?: CallOptions) => Promise<Response>
    : never

export type GrpcClient<C> =
  C extends ServiceContract<infer D, infer H>
    ? { [K in MethodNames<D> & MethodNames<H> & string as Uncapitalize<K>]: ClientMethod<D[K], H[K]> } & {
        close(): void
      }
    : never
