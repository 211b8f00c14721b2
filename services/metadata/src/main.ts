import { runService } from '@millrace/service-runner'
import { readMetadataConfig } from './config.js'
import { createMetadataService } from './server.js'

await runService({ name: 'metadata', readConfig: readMetadataConfig, create: createMetadataService })
