import { type AppError, notFound } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import { validate } from 'uuid'

export const runAbsent = (): AppError => notFound('run_not_found', 'There is no such run.')
export const workflowAbsent = (): AppError => notFound('workflow_not_found', 'There is no such workflow.')

/** What is no id cannot be found. */
export function runIdOf(req: RouteRequest): string {
  const id = req.params.id ?? ''
  if (!validate(id)) throw runAbsent()
  return id.toLowerCase()
}

const namePattern = /^[a-z0-9][a-z0-9-]{0,62}$/

export function workflowNameOf(req: RouteRequest): string {
  const name = req.params.name ?? ''
  if (!namePattern.test(name)) throw workflowAbsent()
  return name
}
