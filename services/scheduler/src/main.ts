import { runService } from '@millrace/service-runner'
import { readSchedulerConfig } from './config.js'
import { createSchedulerService } from './server.js'

await runService({ name: 'scheduler', readConfig: readSchedulerConfig, create: createSchedulerService })
