import { runService } from '@millrace/service-runner'
import { readArtifactConfig } from './config.js'
import { createArtifactService } from './server.js'

await runService({ name: 'artifact', readConfig: readArtifactConfig, create: createArtifactService })
