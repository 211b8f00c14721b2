import { AppError, type ErrorCode, errorCodes, httpStatusOf, rateLimited } from '@millrace/errors'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Harness, startHarness, testRoute } from './harness.js'

let harness: Harness

class DatabaseError extends Error {
  constructor(readonly code: string) {
    super('secret detail of a driver')
  }
}

const failures: Record<string, () => unknown> = {
  limited: () => rateLimited('slow_down', 'Too fast.', 1.2),
  foreign: () => new Error('password=hunter2 at /srv/secret.ts:1'),
  text: () => 'a thrown string',
  nothing: () => undefined,
  range: () => new DatabaseError('22003'),
  nul: () => new DatabaseError('22021'),
  lost: () => new DatabaseError('ECONNREFUSED'),
  shutdown: () => new DatabaseError('57P01'),
  unique: () => new DatabaseError('23505'),
}

beforeAll(async () => {
  harness = await startHarness({
    routes: [
      testRoute({ operationId: 'fail', path: '/fail/{code}' }),
      testRoute({ operationId: 'foreign', path: '/foreign/{kind}' }),
      testRoute({ operationId: 'late', path: '/late', stream: 'sse' }),
      testRoute({ operationId: 'post', method: 'POST', path: '/things' }),
    ],
    handlers: {
      fail: ({ params }) => {
        const fieldErrors = [{ path: '/a', code: 'x', message: 'm', line: 3 }]
        throw new AppError(params.code as ErrorCode, 'some_reason', 'What happened.', { fieldErrors })
      },
      foreign: ({ params }) => Promise.reject(failures[params.kind ?? '']?.()),
      late: () =>
        Promise.resolve({
          stream: async (res) => {
            res.write('begun')
            await new Promise((resolve) => setTimeout(resolve, 20))
            throw new Error('too late to say so')
          },
        }),
      post: () => Promise.resolve({ status: 200, body: {} }),
    },
  })
})
afterAll(() => harness.server.stop())

describe('an error becomes a problem document', () => {
  it.each(errorCodes.filter((code) => code !== 'internal'))('%s', async (code) => {
    const answer = await harness.call('GET', `/fail/${code}`, { headers: { 'x-request-id': 'req-1' } })
    const status = httpStatusOf(code)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(answer.json).toEqual({
      type: 'urn:millrace:problem:some_reason',
      title: expect.any(String),
      status,
      detail: 'What happened.',
      code: 'some_reason',
      requestId: 'req-1',
      errors: [{ path: '/a', code: 'x', message: 'm', line: 3 }],
    })
  })

  it.each([
    ['foreign', 500, 'internal'],
    ['text', 500, 'internal'],
    ['nothing', 500, 'internal'],
    ['unique', 500, 'internal'],
    ['range', 422, 'invalid_value'],
    ['nul', 422, 'invalid_value'],
    ['lost', 503, 'database_unavailable'],
    ['shutdown', 503, 'database_unavailable'],
  ])('%s → %i %s, without a word of the original', async (kind, status, code) => {
    const answer = await harness.call('GET', `/foreign/${kind}`)
    expect(answer.status).toBe(status)
    expect(answer.json).toMatchObject({ status, code })
    expect(answer.text).not.toMatch(/hunter2|secret|stack|\.ts|driver|at \//)
  })

  it('says when to come back, in whole seconds', async () => {
    const answer = await harness.call('GET', '/foreign/limited')
    expect(answer.status).toBe(429)
    expect(answer.headers['retry-after']).toBe('2')
  })

  it('cuts an answer that fails midway, so that it cannot be taken for whole', async () => {
    await expect(harness.call('GET', '/late')).rejects.toThrow(/aborted|hang up|ECONNRESET/)
  })

  it('knows an unknown path from a wrong method', async () => {
    expect((await harness.call('GET', '/nowhere')).json).toMatchObject({ status: 404, code: 'not_found' })
    const wrong = await harness.call('DELETE', '/things')
    expect(wrong.json).toMatchObject({ status: 405, code: 'method_not_allowed' })
    expect(wrong.headers.allow).toBe('POST')
  })

  it.each(['/fail/%zz', '/fail/a%00b', '/fail/x?q=%00', '/%00', '/%ff%fe'])('refuses %s', async (path) => {
    const answer = await harness.call('GET', path)
    expect(answer.status).toBe(400)
    expect(answer.json.code).toBe('malformed_path')
  })

  it('gives every answer a request id and the security headers', async () => {
    for (const path of ['/nowhere', '/healthz', '/fail/conflict']) {
      const { headers } = await harness.call('GET', path, { headers: { 'x-request-id': 'bad id\twith spaces' } })
      expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['x-powered-by']).toBeUndefined()
    }
  })
})
