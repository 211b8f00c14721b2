import { type handleServerStreamingCall, type handleUnaryCall, Metadata } from '@grpc/grpc-js'
import type { AppError } from '@millrace/errors'
import type { Logger } from '@millrace/logger'
import { type OpenSpan, openSpan, SpanKind, tracedHistogram } from '@millrace/telemetry'
import { authenticate, first, type ServerAuth } from './authenticate.js'
import { type AnyCall, ServerCallContext } from './call-context.js'
import type { StreamHandler, UnaryHandler } from './call-types.js'
import { classify } from './classify.js'
import { noteRefusal, type OnRefusal } from './note-refusal.js'
import type { Places } from './places.js'
import { toServiceError } from './status-mapping.js'
import { pump } from './stream-pump.js'
import { whileAllowed } from './while-allowed.js'

export interface ServerScope {
  service: string
  logger: Logger
  auth: ServerAuth
  draining: AbortSignal
  recheckMs: number
  maxAgeMs: number
  /** By project. */
  workerStreams: Places
  onRefusal: OnRefusal | undefined
}

export interface Method {
  readonly path: string
  readonly open: boolean
  readonly ofWorkers: boolean
}

const durations = tracedHistogram({
  name: 'millrace_grpc_server_seconds',
  help: 'Time from the arrival of a gRPC call to its status.',
  labelNames: ['service', 'method', 'code'],
})

export interface Begun {
  ctx: ServerCallContext
  span: OpenSpan
  finish(error?: AppError): void
}

export function begin(scope: ServerScope, path: string, call: AnyCall): Begun {
  const startedAt = performance.now()
  const traceparent = first(call.metadata, 'traceparent')
  const attributes = { 'rpc.system': 'grpc', 'millrace.service': scope.service }
  const span = openSpan(path, attributes, { traceparent, remote: true, kind: SpanKind.SERVER })
  const ctx = new ServerCallContext(call, scope.draining)
  return {
    ctx,
    span,
    finish(error) {
      const labels = { service: scope.service, method: path, code: error?.code ?? 'ok' }
      span.run(() => durations.observe(labels, (performance.now() - startedAt) / 1000))
      span.end(error)
      if (error) noteRefusal(scope.onRefusal, ctx, path, error)
      if (error?.code === 'internal') {
        span.run(() => scope.logger.error({ err: error.cause ?? error, method: path }, 'call failed'))
      } else if (error?.reason === 'database_unavailable') {
        span.run(() => scope.logger.warn({ err: error.cause ?? error, method: path }, 'the database is away'))
      } else if (error) {
        scope.logger.debug({ method: path, code: error.code, reason: error.reason }, 'call refused')
      }
    },
  }
}

export function serveUnary(
  scope: ServerScope,
  { path, open }: Method,
  handler: UnaryHandler<unknown, unknown>,
): handleUnaryCall<unknown, unknown> {
  return (call, callback) => {
    const { ctx, span, finish } = begin(scope, path, call)
    const run = async () => {
      const waiting = open ? undefined : authenticate(scope.auth, ctx, path)
      if (waiting) await waiting
      return handler(call.request, ctx)
    }
    span.run(run).then(
      (response) => {
        finish()
        callback(null, response)
      },
      (error: unknown) => {
        const app = classify(error)
        finish(app)
        callback(toServiceError(app))
      },
    )
  }
}

export function serveStream(
  scope: ServerScope,
  method: Method,
  handler: StreamHandler<unknown, unknown>,
): handleServerStreamingCall<unknown, unknown> {
  const { path, open } = method
  return (call) => {
    const { ctx, span, finish } = begin(scope, path, call)
    const run = async () => {
      const waiting = open ? undefined : authenticate(scope.auth, ctx, path)
      if (waiting) await waiting
      await whileAllowed({ ...scope, ctx, method, answers: false }, (ending) => {
        // The peer learns at once that the stream is accepted; its first item may be long in coming.
        call.sendMetadata(new Metadata())
        return pump(call, handler(call.request, ctx), ending)
      })
    }
    span.run(run).then(
      () => {
        finish()
        call.end()
      },
      (error: unknown) => {
        const app = classify(error)
        finish(app)
        call.emit('error', toServiceError(app))
      },
    )
  }
}
