import { ConfigError } from '@millrace/config'
import { createLogger } from '@millrace/logger'
import { startTelemetry } from '@millrace/telemetry'
import { type NotificationConfig, readNotificationConfig } from './config.js'
import { createNotificationService } from './server.js'

function configOrExit(): NotificationConfig {
  try {
    return readNotificationConfig(process.env)
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

const config = configOrExit()
const telemetry = startTelemetry({ serviceName: 'notification' })
const logger = createLogger({ service: 'notification', level: config.logLevel })
const service = createNotificationService(config, { logger })

async function stop(exitCode: number): Promise<void> {
  await service.stop()
  await telemetry.shutdown()
  process.exit(exitCode)
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => void stop(0))
}

try {
  await service.start()
  logger.info({ port: service.httpPort }, 'notification is ready')
} catch (error) {
  logger.fatal({ err: error }, 'notification could not start')
  await telemetry.shutdown()
  process.exit(1)
}
