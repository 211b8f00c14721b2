import { ConfigError, type Env } from '@millrace/config'
import { createLogger, type Logger, type LogLevel } from '@millrace/logger'
import { startTelemetry } from '@millrace/telemetry'

export interface RunnableService {
  start(): Promise<void>
  stop(): Promise<void>
}

export interface RunOptions<Config extends { logLevel: LogLevel }> {
  name: string
  readConfig: (env: Env) => Config
  create: (config: Config, deps: { logger: Logger }) => RunnableService
}

/** The life of a service process: configuration or exit 1, start or exit 1, a drain on SIGTERM and SIGINT, exit 0. */
export async function runService<Config extends { logLevel: LogLevel }>(options: RunOptions<Config>): Promise<void> {
  const config = readOrExit(options.readConfig)
  const telemetry = startTelemetry({ serviceName: options.name })
  const logger = createLogger({ service: options.name, level: config.logLevel })
  const service = options.create(config, { logger })
  const stop = async (exitCode: number) => {
    await service.stop()
    await telemetry.shutdown()
    process.exit(exitCode)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop(0))
  try {
    await service.start()
    logger.info(`${options.name} is ready`)
  } catch (error) {
    logger.fatal({ err: error }, `${options.name} could not start`)
    await telemetry.shutdown()
    process.exit(1)
  }
}

function readOrExit<Config>(readConfig: (env: Env) => Config): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`)
    process.exit(1)
  }
}
