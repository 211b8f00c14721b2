import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'

/** A server on loopback: `answer({ method, url, headers, body })` gives `{ status, json?, delayMs? }`. */
export async function startServer(answer) {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const { method, url, headers } = request
    const { status, json, delayMs } = answer({ method, url, headers, body })
    if (delayMs) await delay(delayMs)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json ?? {}))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `127.0.0.1:${server.address().port}`
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { address, url: `http://${address}`, close }
}

/** An OTLP endpoint that keeps every span. */
export async function startCollector() {
  const spans = []
  const server = await startServer(({ url, body }) => {
    if (url === '/v1/traces') spans.push(...spansOf(JSON.parse(body)))
    return { status: 200 }
  })
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: server.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_METRICS_EXPORTER: 'none',
    OTEL_LOGS_EXPORTER: 'none',
    OTEL_BSP_SCHEDULE_DELAY: '200',
  }
  return { env, close: server.close, ofTrace: (id) => spans.filter(({ traceId }) => traceId === id) }
}

function spansOf({ resourceSpans }) {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })))
  })
}
