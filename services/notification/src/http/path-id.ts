import { notFound } from '@millrace/errors'
import type { RouteRequest } from '@millrace/http'
import { validate } from 'uuid'

/** The id in the path; what is no id cannot be found. */
export function pathId(req: RouteRequest, what: 'subscription' | 'notification'): string {
  const id = req.params.id ?? ''
  if (!validate(id)) throw absent(what)
  return id
}

export const absent = (what: 'subscription' | 'notification') =>
  notFound(`${what}_not_found`, `There is no such ${what}.`)
