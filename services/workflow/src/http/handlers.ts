import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../context.js'
import { addDraftDependency, addDraftTask, createDraft } from './build-draft.js'
import { bulkRuns, getBulk } from './bulk-runs.js'
import { cancelRun } from './cancel-run.js'
import { controlHandlersOf } from './control/handlers.js'
import { countRuns } from './count-runs.js'
import { createWorkflow } from './create-workflow.js'
import { deleteDeadLetter, getDeadLetter, listDeadLetters, retryDeadLetter } from './dead-letters.js'
import { approveTask, rejectTask } from './decide-approval.js'
import { deleteWorkflow } from './delete-workflow.js'
import { diffWorkflowVersions } from './diff-workflow-versions.js'
import { getDocs, getDocsFile } from './docs.js'
import { getDefinitionSchema, getOpenApi } from './documents.js'
import { explainRun } from './explain-run.js'
import { getLineage } from './get-lineage.js'
import { getRun } from './get-run.js'
import { getRunResults } from './get-run-results.js'
import { getUsage } from './get-usage.js'
import { getWorkflow } from './get-workflow.js'
import { createHook, deleteHook, listHooks } from './hooks.js'
import { listApprovals } from './list-approvals.js'
import { listRunTasks } from './list-run-tasks.js'
import { listRuns } from './list-runs.js'
import { listWorkflowVersions } from './list-workflow-versions.js'
import { listWorkflows } from './list-workflows.js'
import { pauseRun, resumeRun } from './pause-run.js'
import { pauseWorkflow, resumeWorkflow } from './pause-workflow.js'
import { putWorkflow } from './put-workflow.js'
import { receiveHook } from './receive-hook.js'
import { rerunRun } from './rerun-run.js'
import { retryDeadLetters } from './retry-dead-letters.js'
import { retryRun } from './retry-run.js'
import { scheduleTask } from './schedule-task.js'
import { scheduleHandlersOf } from './schedules/handlers.js'
import { sendSignal } from './send-signal.js'
import { startDraft } from './start-draft.js'
import { startRun } from './start-run.js'
import { startRuns } from './start-runs.js'
import { validateWorkflow } from './validate-workflow.js'
import { watchProject } from './watch-project.js'
import { watchRun } from './watch-run.js'

/** By the operation ids of the route table. */
export function handlersOf(ctx: AppContext): Record<string, RouteHandler> {
  return {
    createWorkflow: createWorkflow(ctx),
    listWorkflows: listWorkflows(ctx),
    validateWorkflow: validateWorkflow(ctx),
    getWorkflow: getWorkflow(ctx),
    putWorkflow: putWorkflow(ctx),
    deleteWorkflow: deleteWorkflow(ctx),
    listWorkflowVersions: listWorkflowVersions(ctx),
    startRun: startRun(ctx),
    listRuns: listRuns(ctx),
    getRun: getRun(ctx),
    getRunResults: getRunResults(ctx),
    watchRun: watchRun(ctx),
    watchProject: watchProject(ctx),
    countRuns: countRuns(ctx),
    getProjectUsage: getUsage(ctx),
    bulkRuns: bulkRuns(ctx),
    getBulk: getBulk(ctx),
    getLineage: getLineage(ctx),
    listApprovals: listApprovals(ctx),
    listRunTasks: listRunTasks(ctx),
    explainRun: explainRun(ctx),
    cancelRun: cancelRun(ctx),
    diffWorkflowVersions: diffWorkflowVersions(ctx),
    pauseWorkflow: pauseWorkflow(ctx),
    resumeWorkflow: resumeWorkflow(ctx),
    startRuns: startRuns(ctx),
    pauseRun: pauseRun(ctx),
    resumeRun: resumeRun(ctx),
    retryRun: retryRun(ctx),
    rerunRun: rerunRun(ctx),
    approveTask: approveTask(ctx),
    rejectTask: rejectTask(ctx),
    sendSignal: sendSignal(ctx),
    scheduleTask: scheduleTask(ctx),
    createDraft: createDraft(ctx),
    addDraftTask: addDraftTask(ctx),
    addDraftDependency: addDraftDependency(ctx),
    startDraft: startDraft(ctx),
    createHook: createHook(ctx),
    listHooks: listHooks(ctx),
    deleteHook: deleteHook(ctx),
    receiveHook: receiveHook(ctx),
    listDeadLetters: listDeadLetters(ctx),
    getDeadLetter: getDeadLetter(ctx),
    retryDeadLetter: retryDeadLetter(ctx),
    retryDeadLetters: retryDeadLetters(ctx),
    deleteDeadLetter: deleteDeadLetter(ctx),
    ...scheduleHandlersOf(ctx),
    ...controlHandlersOf(ctx),
    getOpenApi: getOpenApi(),
    getDefinitionSchema: getDefinitionSchema(),
    getDocs: getDocs(),
    getDocsFile: getDocsFile(),
  }
}
