import { ConfigError } from '@millrace/config'
import { createLogger } from '@millrace/logger'
import { readSetupConfig } from './config.js'
import { prepare } from './prepare.js'

try {
  const config = readSetupConfig(process.env)
  const logger = createLogger({ service: 'setup', level: config.logLevel })
  try {
    await prepare(config, logger)
  } catch (error) {
    logger.fatal({ err: error }, 'the servers could not be prepared')
    process.exitCode = 1
  }
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
