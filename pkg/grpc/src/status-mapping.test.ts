import { Metadata, status } from '@grpc/grpc-js'
import { AppError, errorCodes } from '@millrace/errors'
import { describe, expect, test } from 'vitest'
import { appErrorOf, grpcStatusOf, toServiceError } from './status-mapping.js'

describe('AppError over gRPC', () => {
  test.each([
    ['malformed', status.INVALID_ARGUMENT],
    ['unauthenticated', status.UNAUTHENTICATED],
    ['permission_denied', status.PERMISSION_DENIED],
    ['not_found', status.NOT_FOUND],
    ['conflict', status.ABORTED],
    ['too_large', status.OUT_OF_RANGE],
    ['unsupported_media_type', status.INVALID_ARGUMENT],
    ['unprocessable', status.INVALID_ARGUMENT],
    ['rate_limited', status.RESOURCE_EXHAUSTED],
    ['unavailable', status.UNAVAILABLE],
    ['deadline_exceeded', status.DEADLINE_EXCEEDED],
    ['cancelled', status.CANCELLED],
    ['internal', status.INTERNAL],
  ] as const)('%s becomes status %i and comes back as itself', (code, expected) => {
    const sent = new AppError(code, 'some_reason', 'Some text.', {
      retryable: true,
      fieldErrors: [{ path: '/a', code: 'bad', message: 'é' }],
      retryAfterSeconds: 7,
      details: { runId: 'r' },
    })
    const wire = toServiceError(sent)
    expect(wire.code).toBe(expected)
    const back = appErrorOf(wire)
    expect({ ...back, message: back.message }).toMatchObject({ ...sent, message: 'Some text.' })
  })

  test('every code has a status', () => {
    for (const code of errorCodes) expect(grpcStatusOf(code)).toBeTypeOf('number')
  })

  test('a foreign error crosses as internal without its text', () => {
    const wire = toServiceError(new Error('password=hunter2'))
    expect(wire.code).toBe(status.INTERNAL)
    expect(wire.details).not.toContain('hunter2')
  })

  test('a thousand field errors are cut to what trailers can carry', () => {
    const fieldErrors = Array.from({ length: 1000 }, (_, i) => ({ path: `/tasks/${i}`, code: 'bad', message: 'x' }))
    const wire = toServiceError(new AppError('unprocessable', 'invalid', 'Bad.', { fieldErrors }))
    const bytes = wire.metadata?.get('millrace-error-bin')[0]?.length ?? 0
    expect(bytes).toBeLessThanOrEqual(4096)
    expect(appErrorOf(wire).fieldErrors?.length).toBeGreaterThan(10)
  })

  test.each([
    [status.UNAVAILABLE, 'unavailable', 'upstream_unavailable', true],
    [status.DEADLINE_EXCEEDED, 'deadline_exceeded', 'upstream_deadline_exceeded', true],
    [status.UNIMPLEMENTED, 'unavailable', 'upstream_unavailable', true],
    [status.UNKNOWN, 'internal', 'internal', false],
    [status.FAILED_PRECONDITION, 'conflict', 'upstream_conflict', false],
  ])('status %i of a foreign peer becomes %s with neutral text', (grpcStatus, code, reason, retryable) => {
    const error = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:99'), {
      code: grpcStatus,
      details: 'connect ECONNREFUSED 10.0.0.1:99',
      metadata: new Metadata(),
    })
    const app = appErrorOf(error)
    expect(app).toMatchObject({ code, reason, retryable })
    expect(app.message).not.toContain('10.0.0.1')
  })

  test('a made-up millrace-code is not believed', () => {
    const metadata = new Metadata()
    metadata.set('millrace-code', 'teapot')
    metadata.set('millrace-reason', 'x')
    expect(appErrorOf(Object.assign(new Error('x'), { code: status.NOT_FOUND, details: 'x', metadata })).code).toBe(
      'not_found',
    )
  })
})
