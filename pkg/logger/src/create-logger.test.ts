import { trace } from '@opentelemetry/api'
import { expect, test, vi } from 'vitest'
import { createLogger } from './index.js'

function capture() {
  const lines: Record<string, unknown>[] = []
  const stream = { write: (line: string) => void lines.push(JSON.parse(line)) }
  return { lines, logger: createLogger({ service: 'iam', stream }) }
}

test('a line is JSON with service, level and time', () => {
  const { lines, logger } = capture()
  logger.info({ runId: 'r' }, 'hello')
  expect(lines[0]).toMatchObject({ service: 'iam', level: 'info', msg: 'hello', runId: 'r' })
  expect(lines[0]?.time).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/)
})

test('secrets are redacted at the top and below', () => {
  const { lines, logger } = capture()
  logger.warn({
    password: 'hunter2',
    body: { refreshToken: 'hunter2', user: { apiKey: 'hunter2' } },
    headers: { authorization: 'Bearer hunter2', 'x-millrace-identity': 'hunter2', accept: 'text/html' },
  })
  expect(JSON.stringify(lines)).not.toContain('hunter2')
  expect(lines[0]).toMatchObject({ headers: { accept: 'text/html' } })
})

test('an error keeps its stack and cause', () => {
  const { lines, logger } = capture()
  logger.error({ err: new Error('outer', { cause: new Error('inner') }) }, 'failed')
  expect(JSON.stringify(lines[0])).toContain('inner')
})

test('a line within a span has the ids of its trace and span, any other has neither', () => {
  const { lines, logger } = capture()
  const ids = { traceId: 'c0ffee'.padEnd(32, '1'), spanId: 'beef'.padEnd(16, '2') }
  const active = vi.spyOn(trace, 'getActiveSpan')
  try {
    active.mockReturnValue(trace.wrapSpanContext({ ...ids, traceFlags: 1 }))
    logger.info('within')
    active.mockReturnValue(undefined)
    logger.info('without')
  } finally {
    active.mockRestore()
  }
  expect(lines[0]).toMatchObject({ trace_id: ids.traceId, span_id: ids.spanId })
  expect(lines[1]).not.toHaveProperty('trace_id')
  expect(lines[1]).not.toHaveProperty('span_id')
})
