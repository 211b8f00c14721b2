import { afterAll, beforeAll } from 'vitest'
import { eventBusContract } from '../../src/contract.js'
import { kafkaFixture, type TestKafka, testKafka } from './kafka-fixture.js'

let kafka: TestKafka

beforeAll(async () => {
  kafka = await testKafka()
})
afterAll(() => kafka.destroy())

eventBusContract('Kafka', () => kafkaFixture(kafka), { transactional: false })
