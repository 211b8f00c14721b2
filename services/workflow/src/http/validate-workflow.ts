import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { warningsOf } from './definition-warnings.js'
import { checkDefinition } from './read-definition.js'

export function validateWorkflow(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { errors, graph, definition } = await checkDefinition(req)
    const warnings = definition === undefined ? [] : await warningsOf(ctx, req.identity.projectId, definition)
    return { status: 200, body: { valid: errors.length === 0, errors, warnings, graph: graph ?? null } }
  }
}
