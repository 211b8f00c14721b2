import { unprocessable } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import { validate as isUuid } from 'uuid'

/** The scheduler says for which project it acts, and under which id a large output is to be kept. */
const PROJECT_HEADER = 'x-millrace-project-id'
const ID_HEADER = 'x-millrace-artifact-id'

/** Only a service token makes this subject; the gateway lets none in. */
export const isScheduler = (req: RouteRequest): boolean => req.identity.subject === 'service:scheduler'

export function schedulerProject(req: RouteRequest): string {
  return uuidOf(req, PROJECT_HEADER)
}

/** Undefined for everybody else, whatever they send. */
export function chosenId(req: RouteRequest): string | undefined {
  return isScheduler(req) ? uuidOf(req, ID_HEADER) : undefined
}

function uuidOf(req: RouteRequest, header: string): string {
  const value = req.headers[header]
  if (typeof value !== 'string' || !isUuid(value)) throw unprocessable('invalid_request', `${header} must be an id.`)
  return value.toLowerCase()
}
