import { randomBytes } from 'node:crypto'
import { type SinkRequest, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from '../support/client.js'
import { StackControl } from '../support/stack.js'
import { startTarget, type Target } from '../support/target.js'
import { type Span, type TraceCollector, traceCollector } from '../support/trace-collector.js'

/** Where the processes of the stack send their spans; nobody listens there but this file. */
const otlpPort = Number(process.env.MILLRACE_TARGET_OTLP_PORT ?? 0)
const stack = new StackControl()
const traceId = randomBytes(16).toString('hex')
const root = randomBytes(8).toString('hex')
const traceparent = `00-${traceId}-${root}-01`

let collector: TraceCollector
let target: Target
let client: Client
beforeAll(async () => {
  collector = await traceCollector(otlpPort)
  target = await startTarget()
  target.sink.otherwise({ status: 200, headers: { 'content-type': 'application/json' }, body: '{}' })
  client = (await newUser(target)).client
})
afterAll(async () => {
  await target?.close()
  await collector?.close()
})

/** Envoy exports what it has every five seconds, the services more often. */
const soon = { timeoutMs: 40_000 }

const passed = [
  'gateway',
  'iam /envoy.service.auth.v3.Authorization/Check',
  'workflow POST startRun',
  'scheduler consume scheduler',
  'worker task.execute',
  'metadata consume metadata',
  'notification consume notification',
  'notification notification.deliver',
  'artifact POST createArtifact',
]

const spans = (): Span[] => collector.spansOf(traceId)
const asked = (path: string): SinkRequest | undefined => target.sink.requests.find(({ url }) => url === path)
const parentOf = (request: SinkRequest | undefined) => String(request?.headers.traceparent).split('-')

/** From a span up to the request that began it all. */
function ancestors(span: Span): string[] {
  const above = spans().find(({ spanId }) => spanId === span.parentSpanId)
  if (above === undefined) return [span.parentSpanId === root ? 'root' : `an unknown span ${span.parentSpanId}`]
  return [`${above.service} ${above.name}`, ...ancestors(above)]
}

test('one trace: gateway, HTTP, Kafka, gRPC, worker and webhook', { timeout: 180_000 }, async () => {
  const name = uniqueName('traced')
  const tasks = { call: { uses: 'http', with: { url: `${target.sink.url}/task` } } }
  await client.createWorkflow({ name, tasks })
  await client.want(201, 'POST', '/api/v1/subscriptions', {
    body: {
      events: ['workflow.completed'],
      filter: { workflow: name },
      channel: { type: 'webhook', url: `${target.sink.url}/hook` },
    },
  })
  const run = await client.startRun(name, {}, { traceparent })
  expect((await client.ended(run.id, 60_000)).status).toBe('succeeded')
  const artifact = { runId: run.id, name: 'traced.txt', contentType: 'text/plain', size: 1 }
  await client.want(201, 'POST', '/api/v1/artifacts', { body: artifact, headers: { traceparent } })
  await waitFor(() => asked('/hook'), soon)

  const missing = () => {
    const seen = spans().map(({ service, name: of }) => `${service} ${of}`)
    return passed.filter((wanted) => !seen.some((each) => each === wanted || each.startsWith(`${wanted} `)))
  }
  await waitFor(() => missing().length === 0, soon).catch(() => undefined)
  expect(missing()).toEqual([])

  // Whatever was told hangs together: up from every span lies the request of the caller.
  const rootless = () => spans().filter((span) => ancestors(span).at(-1) !== 'root')
  await waitFor(() => rootless().length === 0, soon).catch(() => undefined)
  expect(rootless().map((span) => [span.service, span.name, ancestors(span)])).toEqual([])
  for (const span of spans().filter(({ service }) => service !== 'gateway')) {
    expect(ancestors(span), `${span.service} ${span.name}`).toContainEqual(expect.stringMatching(/^gateway /))
  }
  const consumer = spans().find(({ service }) => service === 'scheduler')
  expect(consumer && ancestors(consumer)[0]).toBe('workflow POST startRun')

  for (const [path, by] of [
    ['/task', 'worker'],
    ['/hook', 'notification'],
  ] as const) {
    const [, trace, parent] = parentOf(asked(path))
    expect([path, trace]).toEqual([path, traceId])
    expect([path, spans().find(({ spanId }) => spanId === parent)?.service]).toEqual([path, by])
  }
})

test("the gateway's access log names the trace", { timeout: 60_000 }, async () => {
  const lines = () =>
    stack
      .logs('envoy')
      .split('\n')
      .filter((line) => line.includes(traceId))
  await waitFor(() => lines().length >= 2, soon)
  expect(lines().map((line) => (JSON.parse(line) as { route: string }).route)).toEqual(
    expect.arrayContaining(['/api/v1/workflows/{name}/runs', '/api/v1/artifacts']),
  )
})
