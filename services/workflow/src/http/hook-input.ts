import { evaluateOffThread } from '@millrace/definition'
import { type AppError, unprocessable } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'

const names = ['body', 'headers', 'query']

/** What proves who one is has no place in the input of a run, which many may read. */
const secretHeaders = /^(?:authorization|cookie|proxy-authorization)$|^x-millrace-|signature/

export async function checkHookInput(expression: string, projectId: string): Promise<void> {
  const result = await evaluateOffThread(expression, names, undefined, projectId)
  if ('problem' in result) throw fault(result.problem)
}

/** In a thread with a deadline: the expression is one user's, what it works on another's. */
export async function evaluateHookInput(expression: string, projectId: string, req: RouteRequest): Promise<unknown> {
  const headers = Object.fromEntries(
    Object.entries(req.headers).filter(([name, value]) => typeof value === 'string' && !secretHeaders.test(name)),
  )
  const search = req.raw.req.url.split('?').slice(1).join('?')
  const query = Object.fromEntries(new URLSearchParams(search))
  const result = await evaluateOffThread(expression, names, { body: req.body ?? null, headers, query }, projectId)
  if ('problem' in result) throw fault(result.problem)
  return result.value
}

function fault({ code, message }: { code: string; message: string }): AppError {
  return unprocessable('invalid_expression', 'The expression of the input cannot be evaluated.', [
    { path: '/input', code, message },
  ])
}
