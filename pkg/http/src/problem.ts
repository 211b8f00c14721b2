import { STATUS_CODES } from 'node:http'
import { type AppError, type FieldError, toAppError, unavailable, unprocessable } from '@millrace/errors'
import { retryable, sqlState } from '@millrace/postgres'
import type express from 'express'

export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  requestId: string
  errors?: FieldError[]
}

export function problemOf(status: number, code: string, detail: string, requestId: string): Problem {
  return {
    type: `urn:millrace:problem:${code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail,
    code,
    requestId,
  }
}

/**
 * Values that only the database can refuse (a number out of range, a date that does not exist) are the caller's fault,
 * and a lost connection is the dependency's; neither is ours. The caller of this logs the original.
 */
export function classify(error: unknown): AppError {
  const app = toAppError(error)
  if (app.code !== 'internal') return app
  if (sqlState(app)?.startsWith('22'))
    return unprocessable('invalid_value', 'A value in the request is not acceptable.')
  if (retryable(app)) return unavailable('database_unavailable', 'The database is not available right now.', error)
  return app
}

export function problemOfError(error: AppError, requestId: string): Problem {
  const detail = error.code === 'internal' ? 'An internal error occurred.' : error.message
  const problem = problemOf(error.httpStatus, error.reason, detail, requestId)
  return error.fieldErrors ? { ...problem, errors: error.fieldErrors } : problem
}

export function sendProblem(res: express.Response, problem: Problem, headers: Record<string, string> = {}): void {
  if (res.headersSent) {
    res.destroy()
    return
  }
  const body = Buffer.from(JSON.stringify(problem))
  // What the handler had set for its own answer must not describe the problem.
  for (const name of ['content-encoding', 'content-disposition', 'content-range', 'etag', 'last-modified']) {
    res.removeHeader(name)
  }
  res.writeHead(problem.status, {
    ...headers,
    'content-type': 'application/problem+json',
    'content-length': body.byteLength,
  })
  res.end(body)
}

export function sendError(res: express.Response, error: AppError, requestId: string): void {
  const headers: Record<string, string> =
    error.retryAfterSeconds === undefined
      ? {}
      : { 'retry-after': String(Math.max(1, Math.ceil(error.retryAfterSeconds))) }
  sendProblem(res, problemOfError(error, requestId), headers)
}
