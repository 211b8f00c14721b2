import { ConfigError, type Env } from '@millrace/config'
import { createLogger, type Logger, type LogLevel } from '@millrace/logger'
import { recordHangs, startTelemetry } from '@millrace/telemetry'

export interface RunnableService {
  start(): Promise<void>
  /** Given a time, what runs longer is cut off; without one, the service's own rule holds. */
  stop(drainTimeoutMs?: number): Promise<void>
  readonly httpPort?: number | undefined
  readonly grpcPort?: number | undefined
  readonly publicGrpcPort?: number | undefined
}

export interface RunOptions<Config extends { logLevel: LogLevel }> {
  name: string
  readConfig: (env: Env) => Config
  /** `end` stops the service and ends the process, as a signal would. */
  create: (config: Config, deps: { logger: Logger }, end: () => void) => RunnableService
  /** When the channel to the parent process closes, so that no child outlives a killed supervisor. Default: never. */
  exitsWithParent?: (config: Config) => boolean
}

/** Set by a supervisor that ends processes which give no answer: how often it ended one of this name. */
const hangsVariable = 'MILLRACE_PROCESS_HANGS'

/** The life of a service process: configuration or exit 1, start or exit 1, a drain on SIGTERM and SIGINT, exit 0. */
export async function runService<Config extends { logLevel: LogLevel }>(options: RunOptions<Config>): Promise<void> {
  const { name } = options
  const config = readOrExit(options.readConfig)
  const telemetry = startTelemetry({ serviceName: name })
  const { [hangsVariable]: hangs } = process.env
  if (hangs !== undefined) recordHangs(Number(hangs))
  const logger = createLogger({ service: name, level: config.logLevel })
  let ending = false
  const end = (drainTimeoutMs?: number): void => {
    if (ending) return
    ending = true
    void exitAfter(() => service.stop(drainTimeoutMs).then(() => telemetry.shutdown()), logger)
  }
  const service = options.create(config, { logger }, () => end())
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => end())
  if (options.exitsWithParent?.(config)) {
    // The parent took along whoever this service works for: there is nobody to finish for.
    process.on('disconnect', () => end(0))
    if (!process.connected) return end(0)
  }
  try {
    await service.start()
    const { httpPort, grpcPort, publicGrpcPort } = service
    logger.info({ httpPort, grpcPort, publicGrpcPort }, `${name} is ready`)
  } catch (error) {
    // A start that fails because a signal stopped it is no failure.
    if (ending) return
    logger.fatal({ err: error }, `${name} could not start`)
    await telemetry.shutdown()
    process.exit(1)
  }
}

async function exitAfter(stop: () => Promise<void>, logger: Logger): Promise<void> {
  try {
    await stop()
  } catch (error) {
    logger.error({ err: error }, 'the service did not stop cleanly')
    process.exit(1)
  }
  process.exit(0)
}

function readOrExit<Config>(readConfig: (env: Env) => Config): Config {
  try {
    return readConfig(process.env)
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : String(error)}\n`)
    process.exit(1)
  }
}
