import { prepareKafka, prepareServiceDatabases } from '@millrace/events'
import type { Logger } from '@millrace/logger'
import type { SetupConfig } from './config.js'

export async function prepare({ databaseUrl, passwords, events }: SetupConfig, logger: Logger): Promise<void> {
  await prepareServiceDatabases(databaseUrl, passwords)
  logger.info('the database roles are ready')
  if (events.kind !== 'kafka') return
  await prepareKafka(events, logger)
  logger.info('the topics and their rights are ready')
}
