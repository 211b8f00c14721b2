import { expect } from 'vitest'
import type { Reply } from './client.js'
import type { Problem } from './shapes.js'

/** An error as the contract has it, and nothing of the inside in it. */
export function expectProblem(reply: Reply<unknown>, what: string, status?: number, code?: string): Problem {
  const about = `${what} → ${reply.status} ${reply.text.slice(0, 500)}`
  if (status !== undefined) expect(reply.status, about).toBe(status)
  expect(reply.headers.get('content-type'), about).toMatch(/^application\/problem\+json/)
  const problem = reply.body as Problem
  expect(problem, about).toMatchObject({
    type: expect.any(String),
    title: expect.any(String),
    detail: expect.any(String),
    status: reply.status,
  })
  expect(problem.code, about).toMatch(/^[a-z][a-z0-9_]*$/)
  // What Envoy refuses before it has parsed it has no number in its headers, and one of its own in the body.
  expect(problem.requestId, about).toEqual(reply.headers.get('x-request-id') ?? expect.any(String))
  expect(reply.text, about).not.toMatch(/node_modules|\\n\s+at |\.(ts|js):\d+|ECONN|"stack"/)
  if (code !== undefined) expect(problem.code, about).toBe(code)
  return problem
}

/** Refused as the contract says; a fault of the server is never an answer to bad input. */
export function expectRefusal(
  reply: Reply<unknown>,
  what: string,
  statuses: readonly number[] = [400, 404, 413, 415, 422],
): void {
  expect(statuses, `${what} → ${reply.status} ${reply.text.slice(0, 300)}`).toContain(reply.status)
  expectProblem(reply, what)
}
