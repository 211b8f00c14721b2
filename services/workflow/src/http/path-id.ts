import { type AppError, notFound } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import { validate } from 'uuid'

export const runAbsent = (): AppError => notFound('run_not_found', 'There is no such run.')
export const workflowAbsent = (): AppError => notFound('workflow_not_found', 'There is no such workflow.')

export const letterAbsent = (): AppError => notFound('dead_letter_not_found', 'There is no such dead letter.')
export const hookAbsent = (): AppError => notFound('hook_not_found', 'There is no such hook.')

/** What is no id cannot be found. */
export const runIdOf = (req: RouteRequest): string => idOf(req.params.id, runAbsent)

export function idOf(id: string | undefined, absent: () => AppError): string {
  if (id === undefined || !validate(id)) throw absent()
  return id.toLowerCase()
}

const namePattern = /^[a-z0-9][a-z0-9-]{0,62}$/

export function workflowNameOf(req: RouteRequest): string {
  const name = req.params.name ?? ''
  if (!namePattern.test(name)) throw workflowAbsent()
  return name
}
