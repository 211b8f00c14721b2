import { httpSink } from '@millrace/testkit'

export interface Span {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId: string
}

interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeSpans: { spans: Omit<Span, 'service'>[] }[]
  }[]
}

export interface TraceCollector {
  /** Settings of a deployment that exports here. */
  env: Record<string, string>
  spansOf(traceId: string): Span[]
  close(): Promise<void>
}

/** An OTLP endpoint that remembers every span. */
export async function traceCollector(): Promise<TraceCollector> {
  const sink = await httpSink()
  sink.otherwise({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' })
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: sink.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
    spansOf: (traceId) =>
      sink.requests
        .filter(({ url }) => url === '/v1/traces')
        .flatMap(({ body }) => spansIn(JSON.parse(body) as Export))
        .filter((span) => span.traceId === traceId),
    close: () => sink.close(),
  }
}

function spansIn({ resourceSpans }: Export): Span[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })))
  })
}
