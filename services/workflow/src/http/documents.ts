import { definitionSchema } from '@millrace/definition'
import type { RouteHandler } from '@millrace/http'
import { buildOpenApi } from '@millrace/routes'

/** Made once: the route table does not change while the process lives. */
export function getOpenApi(): RouteHandler {
  const body = JSON.stringify(buildOpenApi())
  return async () => ({ status: 200, body, headers: { 'content-type': 'application/json' } })
}

export function getDefinitionSchema(): RouteHandler {
  const body = JSON.stringify(definitionSchema)
  return async () => ({ status: 200, body, headers: { 'content-type': 'application/schema+json' } })
}
