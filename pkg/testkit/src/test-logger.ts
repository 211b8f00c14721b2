import { createLogger, type Logger, type LogLevel } from '@millrace/logger'

/** Silent unless MILLRACE_TEST_LOG names a level. */
export const testLogger: Logger = createLogger({
  service: 'test',
  level: (process.env.MILLRACE_TEST_LOG as LogLevel | undefined) ?? 'silent',
})
