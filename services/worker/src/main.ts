import { runService } from '@millrace/service-runner'
import { readWorkerConfig } from './config.js'
import { createWorkerService } from './server.js'

await runService({
  name: 'worker',
  readConfig: readWorkerConfig,
  create: (config, deps, end) => createWorkerService(config, { ...deps, onDrained: end }),
  exitsWithParent: (config) => config.exitWithParent,
})
