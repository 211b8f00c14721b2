import { expect, test } from 'vitest'
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
