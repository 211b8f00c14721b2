import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { cancelRun } from './cancel-run.js'
import { createWorkflow } from './create-workflow.js'
import { deleteWorkflow } from './delete-workflow.js'
import { getDocs, getDocsFile } from './docs.js'
import { getDefinitionSchema, getOpenApi } from './documents.js'
import { explainRun } from './explain-run.js'
import { getRun } from './get-run.js'
import { getRunResults } from './get-run-results.js'
import { getWorkflow } from './get-workflow.js'
import { listRunTasks } from './list-run-tasks.js'
import { listRuns } from './list-runs.js'
import { listWorkflowVersions } from './list-workflow-versions.js'
import { listWorkflows } from './list-workflows.js'
import { putWorkflow } from './put-workflow.js'
import { startRun } from './start-run.js'
import { validateWorkflow } from './validate-workflow.js'
import { watchRun } from './watch-run.js'

/** By the operation ids of the route table. */
export function handlersOf(ctx: AppContext): Record<string, RouteHandler> {
  return {
    createWorkflow: createWorkflow(ctx),
    listWorkflows: listWorkflows(ctx),
    validateWorkflow: validateWorkflow(),
    getWorkflow: getWorkflow(ctx),
    putWorkflow: putWorkflow(ctx),
    deleteWorkflow: deleteWorkflow(ctx),
    listWorkflowVersions: listWorkflowVersions(ctx),
    startRun: startRun(ctx),
    listRuns: listRuns(ctx),
    getRun: getRun(ctx),
    getRunResults: getRunResults(ctx),
    watchRun: watchRun(ctx),
    listRunTasks: listRunTasks(ctx),
    explainRun: explainRun(ctx),
    cancelRun: cancelRun(ctx),
    getOpenApi: getOpenApi(),
    getDefinitionSchema: getDefinitionSchema(),
    getDocs: getDocs(),
    getDocsFile: getDocsFile(),
  }
}
