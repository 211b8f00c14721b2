import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeTraces, type Span } from './otlp.js'

export type { Span } from './otlp.js'

export interface TraceCollector {
  /** Settings of a deployment that exports here. */
  env: Record<string, string>
  spansOf(traceId: string): Span[]
  close(): Promise<void>
}

/** An OTLP endpoint that remembers every span, exported as JSON or as protobuf. */
export async function traceCollector(port = 0): Promise<TraceCollector> {
  const spans: Span[] = []
  const take = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    const type = req.headers['content-type'] ?? ''
    if (req.url === '/v1/traces') spans.push(...decodeTraces(type, Buffer.concat(chunks)))
    // An empty answer is a success in both encodings.
    res.writeHead(200, { 'content-type': type }).end(type.includes('json') ? '{}' : '')
  }
  const server = createServer((req, res) => {
    take(req, res).catch(() => res.writeHead(400).end())
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_METRICS_EXPORTER: 'none',
      OTEL_LOGS_EXPORTER: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '200',
    },
    spansOf: (traceId) => spans.filter((span) => span.traceId === traceId),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
