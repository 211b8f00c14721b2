import { runService } from '@millrace/service-runner'
import { readNotificationConfig } from './config.js'
import { createNotificationService } from './server.js'

await runService({ name: 'notification', readConfig: readNotificationConfig, create: createNotificationService })
