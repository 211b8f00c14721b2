import { ConfigError } from '@millrace/config'
import { createLogger } from '@millrace/logger'
import { startTelemetry } from '@millrace/telemetry'
import { readWorkflowConfig, type WorkflowConfig } from './config.js'
import { createWorkflowService } from './server.js'

function configOrExit(): WorkflowConfig {
  try {
    return readWorkflowConfig(process.env)
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

const config = configOrExit()
const telemetry = startTelemetry({ serviceName: 'workflow' })
const logger = createLogger({ service: 'workflow', level: config.logLevel })
const service = createWorkflowService(config, { logger })

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
  logger.info({ port: service.httpPort, grpcPort: service.grpcPort }, 'workflow is ready')
} catch (error) {
  logger.fatal({ err: error }, 'workflow could not start')
  await telemetry.shutdown()
  process.exit(1)
}
