// A reader in a process of its own: tells its parent the key of each event it handles.
import { createPostgresEventBus } from '@millrace/events'
import { createLogger } from '@millrace/logger'

const [, , connectionString, group, topic] = process.argv
const logger = createLogger({ service: 'reader', level: 'silent' })
const bus = createPostgresEventBus({ connectionString, logger })
await bus.subscribe({
  group,
  topics: [topic],
  maxBatch: 1,
  handler: async (events) => {
    for (const event of events) process.send(event.partitionkey)
  },
})
process.send('ready')
