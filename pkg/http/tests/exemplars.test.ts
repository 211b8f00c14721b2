import { startTelemetry } from '@millrace/telemetry'
import { waitFor } from '@millrace/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startHarness, testRoute } from './harness.js'

test('a scrape for OpenMetrics names the trace of a request; any other is plain text', async () => {
  // Without a collector nothing is sampled. Nobody listens here: what is sent is dropped.
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:1')
  vi.stubEnv('OTEL_METRICS_EXPORTER', 'none')
  vi.stubEnv('OTEL_LOGS_EXPORTER', 'none')
  startTelemetry({ serviceName: 'test' })
  const { call, port, server } = await startHarness({
    routes: [testRoute({ operationId: 'traced', path: '/traced' })],
    handlers: { traced: () => Promise.resolve({ status: 200, body: {} }) },
  })
  onTestFinished(() => server.stop())
  const traceId = 'c0ffee'.padEnd(32, '1')
  await call('GET', '/traced', { headers: { traceparent: `00-${traceId}-${'2'.repeat(16)}-01` } })
  const unsampled = 'dead'.padEnd(32, '1')
  await call('GET', '/traced', { headers: { traceparent: `00-${unsampled}-${'2'.repeat(16)}-00` } })
  const scraped = async (accept: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { accept } })
    return { type: answer.headers.get('content-type'), text: await answer.text() }
  }
  const open = await waitFor(async () => {
    const answer = await scraped('application/openmetrics-text;version=1.0.0')
    return answer.text.includes(traceId) && answer
  })
  expect(open.type).toContain('application/openmetrics-text')
  expect(open.text).toMatch(
    new RegExp(
      `^http_server_request_duration_seconds_bucket\\{[^}]*operation="traced"[^}]*\\} \\d+ # \\{trace_id="${traceId}"`,
      'm',
    ),
  )
  expect(open.text).not.toContain(unsampled)
  expect(open.text).toMatch(/^# TYPE process_cpu_seconds counter$/m)
  expect(open.text).toMatch(/^process_cpu_seconds_total /m)
  expect(open.text.endsWith('\n# EOF\n')).toBe(true)
  const plain = await scraped('text/plain')
  expect(plain.type).toContain('text/plain')
  expect(plain.text).toMatch(/^# TYPE process_cpu_seconds_total counter$/m)
  expect(plain.text).not.toContain('trace_id')
})
