import { ConfigError } from '@millrace/config'
import { createLogger } from '@millrace/logger'
import { startTelemetry } from '@millrace/telemetry'
import { type MetadataConfig, readMetadataConfig } from './config.js'
import { createMetadataService } from './server.js'

function configOrExit(): MetadataConfig {
  try {
    return readMetadataConfig(process.env)
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

const config = configOrExit()
const telemetry = startTelemetry({ serviceName: 'metadata' })
const logger = createLogger({ service: 'metadata', level: config.logLevel })
const service = createMetadataService(config, { logger })

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
  logger.info({ httpPort: service.httpPort, publicGrpcPort: service.publicGrpcPort }, 'metadata is ready')
} catch (error) {
  logger.fatal({ err: error }, 'metadata could not start')
  await telemetry.shutdown()
  process.exit(1)
}
