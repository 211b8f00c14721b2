// A reader in a process of its own: tells its parent the key of each event it handles.
import { createKafkaEventBus } from '@millrace/events'
import { createLogger } from '@millrace/logger'

const [, , connectionString, brokers, prefix, group, topic, declarations] = process.argv
const logger = createLogger({ service: 'reader', level: 'silent' })
const connection = { brokers: brokers.split(','), prefix }
const topics = JSON.parse(declarations)
const bus = createKafkaEventBus({ connection, connectionString, clientId: 'reader', logger, topics })
await bus.subscribe({
  group,
  topics: [topic],
  maxBatch: 1,
  handler: async (events) => {
    for (const event of events) process.send(event.partitionkey)
  },
})
process.send('ready')
