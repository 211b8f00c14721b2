export { readWorkflowConfig, type WorkflowConfig } from './config.js'
export type { WorkflowDeps } from './context.js'
export { createWorkflowService, type WorkflowService } from './server.js'
