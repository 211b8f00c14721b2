// A relay in a process of its own, to be killed.
import { createKafkaEventBus } from '@millrace/events'
import { createLogger } from '@millrace/logger'

const [, , connectionString, brokers, prefix, declarations] = process.argv
createKafkaEventBus({
  connection: { brokers: brokers.split(','), prefix },
  connectionString,
  clientId: 'relay',
  logger: createLogger({ service: 'relay', level: 'silent' }),
  topics: JSON.parse(declarations),
})
process.send('ready')
