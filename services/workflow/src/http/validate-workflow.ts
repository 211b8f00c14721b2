import type { RouteHandler } from '@millrace/http'
import { checkDefinition } from './read-definition.js'

export function validateWorkflow(): RouteHandler {
  return async (req) => {
    const { errors, graph } = checkDefinition(req)
    return { status: 200, body: { valid: errors.length === 0, errors, graph: graph ?? null } }
  }
}
