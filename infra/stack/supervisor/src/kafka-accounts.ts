import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { kafkaAccountNames, prepareKafka } from '@millrace/events'
import { createLogger } from '@millrace/logger'
import { type KafkaAccounts, type KafkaOptions, kafkaAdmin, makeKafkaAccounts } from '@millrace/stack-servers'
import { local, type StackPorts } from './ports.js'

type Broker = KafkaOptions & { accounts: KafkaAccounts }

/** Passwords are derived, so that nothing more is to be kept and every start means the same. */
export function kafkaOptions(dataDir: string, ports: StackPorts, seed: string): Broker {
  const password = (name: string) => createHmac('sha256', seed).update(`kafka/${name}`).digest('base64url')
  const users = Object.fromEntries(kafkaAccountNames.map((name) => [name, password(name)]))
  return {
    directory: join(dataDir, 'kafka'),
    port: ports.kafka,
    controllerPort: ports.kafkaController,
    accounts: { adminPassword: password('admin'), users },
  }
}

/** Accounts, topics and rights: no service may make any of them. */
export async function prepareBroker(broker: Broker): Promise<void> {
  await makeKafkaAccounts(broker)
  const connection = { brokers: [local(broker.port)], sasl: kafkaAdmin(broker.accounts.adminPassword) }
  await prepareKafka(connection, createLogger({ service: 'stack', level: 'warn' }))
}
