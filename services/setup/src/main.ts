import { ConfigError } from '@millrace/config'
import { createLogger, type Logger, type LogLevel } from '@millrace/logger'
import { readSetupConfig } from './config.js'
import { readImportConfig } from './import/config.js'
import { prepare } from './prepare.js'

const [command, folder] = process.argv.slice(2)

interface Work {
  logLevel: LogLevel
  run(logger: Logger): Promise<void>
  failed: string
}

/** Reads all configuration before anything is done. */
function chooseWork(): Work {
  if (command === undefined) {
    const config = readSetupConfig(process.env)
    const run = (logger: Logger) => prepare(config, logger)
    return { logLevel: config.logLevel, run, failed: 'the servers could not be prepared' }
  }
  if (command !== 'import' || folder === undefined) throw new ConfigError(['the only command is: import <folder>'])
  const config = readImportConfig(process.env)
  const run = async (logger: Logger) => {
    // The clients of MongoDB and S3 take seconds to load, and every other start goes without them.
    const { importStandalone } = await import('./import/import-standalone.js')
    await importStandalone(folder, config, logger)
  }
  return { logLevel: config.logLevel, run, failed: 'the import failed' }
}

try {
  const { logLevel, run, failed } = chooseWork()
  const logger = createLogger({ service: 'setup', level: logLevel })
  try {
    await run(logger)
  } catch (error) {
    logger.fatal({ err: error }, failed)
    process.exitCode = 1
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
