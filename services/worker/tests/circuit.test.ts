import { metricsText } from '@millrace/telemetry'
import { freePort, type HttpSink, httpSink, waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Harness, startHarness } from './harness.js'

let sink: HttpSink
beforeAll(async () => {
  sink = await httpSink()
})
afterAll(() => sink.close())

const projectId = '00000000-0000-4000-8000-000000000001'

/** One after another, since what is under way when a circuit opens is let through. */
async function callAll({ dispatch }: Harness, count: number, url: string, lease: object = {}) {
  const results = []
  for (let n = 0; n < count; n++) {
    const [id] = dispatch.enqueue({ uses: 'http', inputJson: JSON.stringify({ url }), projectId, ...lease })
    results.push(await waitFor(() => dispatch.result(id)))
  }
  return results
}

it('hands tasks back, without an attempt and without a call, once a peer has failed ten times', async () => {
  const harness = await startHarness()
  sink.requests.length = 0
  sink.otherwise({ status: 503 })
  const failed = await callAll(harness, 10, sink.url)
  expect(failed.map(({ outcome }) => outcome)).toEqual(Array.from({ length: 10 }, () => 'OUTCOME_FAILED'))
  const [back] = await callAll(harness, 1, `${sink.url}/elsewhere`)
  expect(back).toMatchObject({ outcome: 'OUTCOME_HANDED_BACK', error: null })
  expect(back?.retryAfterMs).toBeGreaterThan(1_000)
  expect(back?.handBackReason).toContain(`127.0.0.1:${sink.port}`)
  expect(sink.requests).toHaveLength(10)

  // Another executor, another project and another port are other circuits.
  const [other] = await callAll(harness, 1, sink.url, {
    uses: 'webhook',
    inputJson: `{"url":"${sink.url}","payload":1}`,
  })
  const [stranger] = await callAll(harness, 1, sink.url, { projectId: '00000000-0000-4000-8000-000000000002' })
  const [elsewhere] = await callAll(harness, 1, `http://127.0.0.1:${await freePort()}`)
  for (const result of [other, stranger, elsewhere]) expect(result?.outcome).toBe('OUTCOME_FAILED')

  const metrics = await metricsText()
  expect(metrics).toMatch(/millrace_worker_circuits_open\{[^}]*uses="http"[^}]*\} 1/)
  expect(metrics).toMatch(/millrace_worker_circuit_events_total\{[^}]*event="refused"[^}]*\} 1/)
})

it('probes when the wait is over and goes on where it succeeds', async () => {
  const harness = await startHarness()
  sink.otherwise({ destroy: true })
  await callAll(harness, 10, sink.url)
  sink.otherwise({ status: 200 })
  const first = await waitFor(
    async () => {
      const [result] = await callAll(harness, 1, sink.url)
      return result?.outcome === 'OUTCOME_SUCCEEDED' ? result : undefined
    },
    { timeoutMs: 20_000, intervalMs: 250 },
  )
  expect(first.outcome).toBe('OUTCOME_SUCCEEDED')
  const after = await callAll(harness, 5, sink.url)
  expect(after.every(({ outcome }) => outcome === 'OUTCOME_SUCCEEDED')).toBe(true)
})

it('counts neither refusals of the guard nor answers in the 4xx range', async () => {
  const harness = await startHarness({ egress: { allowPrivate: false, allow: [`127.0.0.1:${sink.port}`] } })
  const denied = await callAll(harness, 15, 'http://127.0.0.1:9/')
  expect(denied.every(({ error }) => error?.code === 'egress_denied')).toBe(true)
  sink.otherwise({ status: 404 })
  const missing = await callAll(harness, 15, sink.url)
  expect(missing.every(({ error }) => error?.class === 'http_4xx')).toBe(true)
})
