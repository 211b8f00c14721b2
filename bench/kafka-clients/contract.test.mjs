import { testLogger } from '@millrace/testkit'
import { afterAll, beforeAll } from 'vitest'
import { eventBusContract } from '../../pkg/events/src/contract.ts'
import { startReaderProcess } from '../../pkg/events/tests/reader-processes.ts'
import { kafkaFixture, testKafka } from '../../pkg/events/tests/stack/kafka-fixture.ts'
import { createPlatformaticBus } from './platformatic-bus.mjs'

let kafka
beforeAll(async () => {
  kafka = await testKafka()
})
afterAll(() => kafka.destroy())

async function fixtureOf() {
  const fixture = await kafkaFixture(kafka)
  const { url, prefix, declarations } = fixture
  const { brokers } = kafka
  const open = []
  return {
    ...fixture,
    makeBus() {
      const connection = { brokers, prefix }
      const options = { connection, connectionString: url, clientId: 'test', topics: declarations, logger: testLogger }
      open.push(createPlatformaticBus(options))
      return open.at(-1)
    },
    async startReaderProcess(group, topic) {
      const args = [url, brokers.join(','), prefix, group, topic, JSON.stringify(declarations)]
      const reader = await startReaderProcess(new URL('./reader-process.mjs', import.meta.url), args)
      open.push({ close: () => reader.kill() })
      return reader
    },
    async destroy() {
      await Promise.all(open.map((each) => each.close()))
      await fixture.destroy()
    },
  }
}

eventBusContract('Kafka by @platformatic/kafka', fixtureOf, { transactional: false })
