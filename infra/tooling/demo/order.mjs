// make demo: the order of examples/order-fulfilment.yaml, told as it happens.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { withStandalone } from '../temporary-standalone.mjs'
import { connect } from './api.mjs'
import { drawTrace } from './draw-trace.mjs'
import { startCollector, startServer } from './http-server.mjs'

const definition = fileURLToPath(new URL('../../../examples/order-fulfilment.yaml', import.meta.url))

/** A shop that refuses the first payment. */
function openShop(say) {
  const keys = []
  const shop = ({ method, url, headers, body }) => {
    if (url === '/orders/1001') return { status: 200, json: { total: 42.5, email: 'buyer@example.test' } }
    if (url === '/payments') {
      keys.push(headers['idempotency-key'])
      const isFirst = keys.length === 1
      say(`   shop ← ${method} ${url} ${body}: ${isFirst ? '503, the shop is busy' : '201, receipt R-7'}`)
      return isFirst ? { status: 503 } : { status: 201, json: { receipt: 'R-7' } }
    }
    if (url === '/notifications') say(`   shop ← ${method} ${url} ${body}`)
    return { status: url === '/notifications' ? 202 : 404 }
  }
  return { shop, keys }
}

export async function demoOrder(say) {
  const { shop, keys } = openShop(say)
  const server = await startServer(shop)
  const collector = await startCollector()
  try {
    say('1. A PostgreSQL, the seven services, a gateway and a worker start, in a folder of their own.')
    const env = { MILLRACE_EGRESS_ALLOW: server.address, ...collector.env }
    return await withStandalone(env, (standalone) => tell(say, standalone, server.url, collector, keys))
  } finally {
    server.close()
    collector.close()
  }
}

async function tell(say, standalone, shopUrl, collector, keys) {
  const api = await connect(standalone)
  say(`   Ready at ${standalone.url}`)
  say('2. The workflow is examples/order-fulfilment.yaml: fetch-order → process-payment (5 tries) → send-notification.')
  await api.call('POST', '/api/v1/workflows', readFileSync(definition, 'utf8'))
  const traceId = randomBytes(16).toString('hex')
  const traceparent = `00-${traceId}-${randomBytes(8).toString('hex')}-01`
  say('3. An order comes in.')
  const body = { input: { orderId: '1001', shopUrl } }
  const { id } = await api.call('POST', '/api/v1/workflows/order-fulfilment/runs', body, { traceparent })
  const run = await api.runEnded(id)
  say(`4. The run ${run.status}: ${JSON.stringify(run.output)}`)
  for (const { key, status, attempt, startedAt, finishedAt } of run.tasks) {
    const took = Date.parse(finishedAt) - Date.parse(startedAt)
    say(`   ${key.padEnd(18)} ${status}, ${attempt === 1 ? 'first try' : `try ${attempt}`}, ${took} ms`)
  }
  const isOnce = new Set(keys).size === 1
  say(
    `   The payment was asked for ${keys.length} times with ${isOnce ? 'the same idempotency key: charged once' : 'different keys'}.`,
  )
  say('5. One trace, from the request through the gateway, the services and the worker:')
  const lines = drawTrace(await wholeTrace(collector, traceId))
  for (const line of lines) say(`   ${line}`)
  return { run, keys, lines }
}

/** Spans come in batches: until no more came for a second. */
async function wholeTrace(collector, traceId) {
  for (let seen = -1; ; ) {
    const spans = collector.ofTrace(traceId)
    if (spans.length > 0 && spans.length === seen) return spans
    seen = spans.length
    await delay(1000)
  }
}
