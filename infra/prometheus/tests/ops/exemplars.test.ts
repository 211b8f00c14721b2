import { startTelemetry } from '@millrace/telemetry'
import { waitFor } from '@millrace/testkit'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startHarness, testRoute } from '../../../../pkg/http/tests/harness.js'
import { RealPrometheus } from '../real-prometheus.js'

test('Prometheus keeps the trace of a request as an exemplar, and answers with it', async () => {
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
  const prometheus = new RealPrometheus()
  onTestFinished(() => prometheus.stop())
  await prometheus.start([{ job_name: 'test', static_configs: [{ targets: [`127.0.0.1:${port}`] }] }])
  const traceId = 'c0ffee'.padEnd(32, '1')
  const unsampled = 'dead'.padEnd(32, '1')
  await call('GET', '/traced', { headers: { traceparent: `00-${unsampled}-${'2'.repeat(16)}-00` } })
  await call('GET', '/traced', { headers: { traceparent: `00-${traceId}-${'2'.repeat(16)}-01` } })
  const metric = 'http_server_request_duration_seconds_bucket'
  const found = await waitFor(
    async () => {
      const series = await prometheus.seriesOfTrace(metric, traceId)
      return series.length > 0 && series
    },
    { timeoutMs: 60_000, what: 'the exemplar' },
  )
  expect(found).toEqual([expect.objectContaining({ __name__: metric, job: 'test', operation: 'traced' })])
  expect(await prometheus.seriesOfTrace(metric, unsampled)).toEqual([])
})
