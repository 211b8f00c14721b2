import type { PeerCertificate } from 'node:tls'
import type { Metadata, ServerDuplexStream, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js'
import type { Identity, ServiceName } from '@millrace/identity'
import type { CallContext } from './call-types.js'

export type AnyCall =
  | ServerUnaryCall<unknown, unknown>
  | ServerWritableStream<unknown, unknown>
  | ServerDuplexStream<unknown, unknown>

/** Most unary handlers never ask for the signal, so its controller and listener are made on first use. */
export class ServerCallContext implements CallContext {
  identity?: Identity
  service?: ServiceName
  readonly draining: AbortSignal
  private readonly call: AnyCall
  private controller: AbortController | undefined

  constructor(call: AnyCall, draining: AbortSignal) {
    this.call = call
    this.draining = draining
  }

  get metadata(): Metadata {
    return this.call.metadata
  }

  get peer(): string {
    return this.call.getPeer()
  }

  /** Undefined where the caller has shown none. */
  get certificate(): PeerCertificate | undefined {
    return this.call.getAuthContext().sslPeerCertificate
  }

  get deadline(): number {
    const deadline = this.call.getDeadline()
    return deadline instanceof Date ? deadline.getTime() : deadline
  }

  get signal(): AbortSignal {
    if (!this.controller) {
      const controller = new AbortController()
      this.controller = controller
      if (this.call.cancelled) controller.abort()
      else (this.call as NodeJS.EventEmitter).once('cancelled', () => controller.abort())
    }
    return this.controller.signal
  }

  abort(): void {
    void this.signal
    this.controller?.abort()
  }
}
