import { runService } from '@millrace/service-runner'
import { readWorkflowConfig } from './config.js'
import { createWorkflowService } from './server.js'

await runService({ name: 'workflow', readConfig: readWorkflowConfig, create: createWorkflowService })
