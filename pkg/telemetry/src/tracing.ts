import {
  type Attributes,
  type Context,
  context,
  isSpanContextValid,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { parseTraceParent } from '@opentelemetry/core'

export type { Attributes, Span } from '@opentelemetry/api'
export { SpanKind } from '@opentelemetry/api'

const tracer = trace.getTracer('millrace')

/** The W3C form of the active span, for headers, metadata and event envelopes. */
export function currentTraceparent(): string | undefined {
  const span = trace.getActiveSpan()?.spanContext()
  if (!span || !isSpanContextValid(span)) return undefined
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`
}

export const currentTraceId = (): string | undefined => {
  const span = trace.getActiveSpan()?.spanContext()
  return span && isSpanContextValid(span) ? span.traceId : undefined
}

/** Of the active span, if anybody will be able to look at it. */
export const sampledTraceId = (): string | undefined => {
  const span = trace.getActiveSpan()?.spanContext()
  return span && isSpanContextValid(span) && span.traceFlags & TraceFlags.SAMPLED ? span.traceId : undefined
}

function remoteContext(traceparent: string | undefined): Context {
  const parent = traceparent === undefined ? null : parseTraceParent(traceparent)
  return parent ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, isRemote: true }) : ROOT_CONTEXT
}

export interface OpenSpan {
  span: Span
  /** Runs a function with the span active. */
  run<T>(fn: () => T): T
  end(error?: unknown): void
}

/** For work whose end is an event rather than a promise, such as a call with an open stream. */
export function openSpan(
  name: string,
  attributes: Attributes,
  options: { traceparent?: string | undefined; remote?: boolean; kind?: SpanKind } = {},
): OpenSpan {
  const parent = options.remote ? remoteContext(options.traceparent) : context.active()
  const span = tracer.startSpan(name, { attributes, kind: options.kind ?? SpanKind.INTERNAL }, parent)
  const active = trace.setSpan(parent, span)
  return {
    span,
    run: (fn) => context.with(active, fn),
    end(error) {
      if (error !== undefined) {
        span.setStatus({ code: SpanStatusCode.ERROR })
        if (span.isRecording() && error instanceof Error) span.recordException({ name: error.name, message: '' })
      }
      span.end()
    },
  }
}

async function runIn<T>(open: OpenSpan, fn: (span: Span) => T | Promise<T>): Promise<T> {
  try {
    const result = await open.run(() => fn(open.span))
    open.end()
    return result
  } catch (error) {
    open.end(error)
    throw error
  }
}

export function withSpan<T>(
  name: string,
  attributes: Attributes,
  fn: (span: Span) => T | Promise<T>,
  kind: SpanKind = SpanKind.INTERNAL,
): Promise<T> {
  return runIn(openSpan(name, attributes, { kind }), fn)
}

/** Runs `fn` in a new span that continues a trace begun elsewhere; a missing or malformed parent begins a new one. */
export function withTraceparent<T>(
  traceparent: string | undefined,
  name: string,
  attributes: Attributes,
  fn: (span: Span) => T | Promise<T>,
  kind: SpanKind = SpanKind.SERVER,
): Promise<T> {
  return runIn(openSpan(name, attributes, { traceparent, remote: true, kind }), fn)
}
