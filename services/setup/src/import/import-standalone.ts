import { join } from 'node:path'
import { dropHandledEvents } from '@millrace/events'
import { copyToMongo } from '@millrace/job-store'
import type { Logger } from '@millrace/logger'
import { createS3ObjectStore } from '@millrace/object-store'
import { createPool } from '@millrace/postgres'
import type { ImportConfig } from './config.js'
import { copyObjects } from './copy-objects.js'

/**
 * The parts of a standalone that a stack keeps elsewhere than in PostgreSQL, where its dump was restored: documents and
 * logs go to MongoDB, files to S3. Before any service of the stack runs; may be repeated until then.
 */
export async function importStandalone(folder: string, config: ImportConfig, logger: Logger): Promise<void> {
  const pool = createPool({ connectionString: config.databaseUrl, schema: 'metadata', max: 2 })
  try {
    const events = await dropHandledEvents(pool)
    logger.info(events, 'the log of events is an outbox')
    const store = createS3ObjectStore(config.s3)
    await store.prepare()
    logger.info(await copyObjects(join(folder, 'artifacts'), store, pool), 'the files are in S3')
    logger.info(await copyToMongo(pool, config.mongoUrl), 'the documents and logs are in MongoDB')
  } finally {
    await pool.end()
  }
}
