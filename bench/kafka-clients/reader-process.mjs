// As pkg/events/tests/stack/kafka-reader-process.mjs, with the other client.
import { createLogger } from '../../pkg/logger/dist/index.js'
import { createPlatformaticBus } from './platformatic-bus.mjs'

const [, , connectionString, brokers, prefix, group, topic, declarations] = process.argv
const bus = createPlatformaticBus({
  connection: { brokers: brokers.split(','), prefix },
  connectionString,
  clientId: 'reader',
  logger: createLogger({ service: 'reader', level: 'silent' }),
  topics: JSON.parse(declarations),
})
const handler = async (events) => {
  for (const event of events) process.send(event.partitionkey)
}
await bus.subscribe({ group, topics: [topic], maxBatch: 1, handler })
process.send('ready')
