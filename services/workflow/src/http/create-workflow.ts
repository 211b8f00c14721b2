import { conflict } from '@millrace/errors'
import type { RouteHandler } from '@millrace/http'
import { isUniqueViolation, withTransaction } from '@millrace/postgres'
import type { AppContext } from '../context.js'
import { shown, warningsOf } from './definition-warnings.js'
import { readDefinition } from './read-definition.js'
import { workflowView } from './views.js'
import { writeNewWorkflow } from './write-workflow.js'

export function createWorkflow(ctx: AppContext): RouteHandler {
  return async (req) => {
    const read = await readDefinition(req)
    const warnings = await warningsOf(ctx, req.identity.projectId, read.definition)
    const { workflows: limit } = await ctx.quotas(req.identity.projectId)
    try {
      const reply = await withTransaction(ctx.pool, async (tx) => {
        const { workflow, version } = await writeNewWorkflow(tx, req, read, limit)
        const answer = { status: 201, body: { ...workflowView(workflow, version), ...shown(warnings) } }
        await req.settle(tx, answer)
        return answer
      })
      ctx.bus.hint()
      return reply
    } catch (error) {
      if (!isUniqueViolation(error, 'workflows_name')) throw error
      throw conflict('workflow_exists', `There is a workflow ${read.definition.name} already.`)
    }
  }
}
