import { ConfigError } from '@millrace/config'
import { createLogger } from '@millrace/logger'
import { startTelemetry } from '@millrace/telemetry'
import { type ArtifactConfig, readArtifactConfig } from './config.js'
import { createArtifactService } from './server.js'

function configOrExit(): ArtifactConfig {
  try {
    return readArtifactConfig(process.env)
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`)
    process.exit(1)
  }
}

const config = configOrExit()
const telemetry = startTelemetry({ serviceName: 'artifact' })
const logger = createLogger({ service: 'artifact', level: config.logLevel })
const service = createArtifactService(config, { logger })

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
  logger.info({ port: service.httpPort }, 'artifact is ready')
} catch (error) {
  logger.fatal({ err: error }, 'artifact could not start')
  await telemetry.shutdown()
  process.exit(1)
}
