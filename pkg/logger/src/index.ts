export { createLogger, type Logger, type LoggerOptions, type LogLevel, logLevels } from './create-logger.js'
