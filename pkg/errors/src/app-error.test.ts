import { describe, expect, test } from 'vitest'
import * as errors from './index.js'

describe('the constructors', () => {
  test.each([
    [errors.malformed('bad_json', 'm'), 'malformed', 400, false],
    [errors.unauthenticated('expired', 'm'), 'unauthenticated', 401, false],
    [errors.permissionDenied('role_too_low', 'm'), 'permission_denied', 403, false],
    [errors.notFound('run_not_found', 'm'), 'not_found', 404, false],
    [errors.conflict('email_taken', 'm'), 'conflict', 409, false],
    [errors.tooLarge('body_too_large', 'm'), 'too_large', 413, false],
    [errors.unsupportedMediaType('wrong_type', 'm'), 'unsupported_media_type', 415, false],
    [errors.unprocessable('invalid', 'm'), 'unprocessable', 422, false],
    [errors.rateLimited('too_many', 'm', 3), 'rate_limited', 429, true],
    [errors.unavailable('database_down', 'm'), 'unavailable', 503, true],
    [errors.deadlineExceeded('slow', 'm'), 'deadline_exceeded', 504, true],
    [errors.cancelled('cancelled', 'm'), 'cancelled', 499, false],
    [errors.internal('m'), 'internal', 500, false],
  ])('%s has code %s and status %i', (error, code, status, retryable) => {
    expect(error).toBeInstanceOf(errors.AppError)
    expect(error).toMatchObject({ code, httpStatus: status, retryable, message: 'm' })
  })

  test('cover every code', () => {
    const statuses = errors.errorCodes.map(errors.httpStatusOf)
    expect(new Set(statuses).size).toBe(errors.errorCodes.length)
  })
})

test('an error keeps its cause, its field errors and its wait', () => {
  const cause = new Error('socket closed')
  expect(errors.unavailable('x', 'm', cause).cause).toBe(cause)
  expect(errors.rateLimited('x', 'm', 9).retryAfterSeconds).toBe(9)
  const fieldErrors = [{ path: '/name', code: 'pattern', message: 'bad' }]
  expect(errors.unprocessable('x', 'm', fieldErrors).fieldErrors).toEqual(fieldErrors)
})

test('a foreign error becomes internal and does not lend its text', () => {
  for (const thrown of [new Error('password=hunter2'), 'hunter2', undefined, { secret: 'hunter2' }]) {
    const error = errors.toAppError(thrown)
    expect(error).toMatchObject({ code: 'internal', reason: 'internal' })
    expect(error.cause).toBe(thrown)
    expect(error.message).not.toContain('hunter2')
  }
})

test('an AppError passes unchanged', () => {
  const error = errors.notFound('x', 'm')
  expect(errors.toAppError(error)).toBe(error)
})
