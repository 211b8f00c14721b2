import protobuf from 'protobufjs'

export interface Span {
  service: string
  name: string
  traceId: string
  spanId: string
  parentSpanId: string
}

/** Of opentelemetry/proto/collector/trace/v1 as much as tests look at; everything else is skipped. */
const schema = `
syntax = "proto3";
message Export { repeated ResourceSpans resource_spans = 1; }
message ResourceSpans { Resource resource = 1; repeated ScopeSpans scope_spans = 2; }
message Resource { repeated KeyValue attributes = 1; }
message KeyValue { string key = 1; Value value = 2; }
message Value { string string_value = 1; }
message ScopeSpans { repeated Spans spans = 2; }
message Spans { bytes trace_id = 1; bytes span_id = 2; bytes parent_span_id = 4; string name = 5; }`

const exportType = protobuf.parse(schema).root.lookupType('Export')

interface Export {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] }
    scopeSpans: { spans: Omit<Span, 'service'>[] }[]
  }[]
}

export function decodeTraces(contentType: string, body: Buffer): Span[] {
  const { resourceSpans } = contentType.includes('json') ? (JSON.parse(body.toString()) as Export) : decode(body)
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? ''
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })))
  })
}

/** Ids are bytes here and hex in JSON. */
function decode(body: Buffer): Export {
  const found = exportType.toObject(exportType.decode(body), { arrays: true, defaults: true, bytes: Buffer }) as {
    resourceSpans: {
      resource: Export['resourceSpans'][number]['resource']
      scopeSpans: { spans: { name: string; traceId: Buffer; spanId: Buffer; parentSpanId: Buffer }[] }[]
    }[]
  }
  const hex = (id: Buffer) => Buffer.from(id).toString('hex')
  return {
    resourceSpans: found.resourceSpans.map(({ resource, scopeSpans }) => ({
      resource,
      scopeSpans: scopeSpans.map(({ spans }) => ({
        spans: spans.map(({ name, traceId, spanId, parentSpanId }) => ({
          ...{ name, traceId: hex(traceId), spanId: hex(spanId), parentSpanId: hex(parentSpanId) },
        })),
      })),
    })),
  }
}
