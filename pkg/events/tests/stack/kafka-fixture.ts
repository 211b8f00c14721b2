import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPool, type Pool } from '@millrace/postgres'
import { kafkaSpec, type ServerProcess, startServer } from '@millrace/stack-servers'
import { freePort, testDatabase, testLogger } from '@millrace/testkit'
import { type Admin, Kafka, type KafkaMessage, logLevel } from 'kafkajs'
import type { EventBusFixture, ReaderProcess, StoredDeadLetter } from '../../src/contract.js'
import {
  appendEvents,
  createKafkaEventBus,
  deadLetterTopic,
  type EventBus,
  type KafkaEventBus,
  migrateEvents,
  readTopicDeclarations,
  type Topic,
  type TopicDeclaration,
} from '../../src/index.js'
import { startReaderProcess } from '../reader-processes.js'

export interface TestKafka {
  brokers: string[]
  kill(): Promise<void>
  /** Also after a kill. */
  start(): Promise<void>
  destroy(): Promise<void>
}

/** A broker of its own for a file of tests. */
export async function testKafka(): Promise<TestKafka> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-kafka-'))
  const [port, controllerPort] = [await freePort(), await freePort()]
  const spec = await kafkaSpec({ directory: join(folder, 'data'), port, controllerPort })
  const start = () => startServer(spec, join(folder, 'kafka.log'))
  let server: ServerProcess = await start()
  return {
    brokers: [`127.0.0.1:${port}`],
    kill: () => server.kill(),
    async start() {
      server = await start()
    },
    async destroy() {
      await server.kill()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export interface KafkaFixture extends EventBusFixture {
  url: string
  pool: Pool
  prefix: string
  kafka: Kafka
  declarations: TopicDeclaration[]
  makeBus(connection?: { brokers: string[] }): KafkaEventBus
  /** Past the outbox and its envelope. */
  sendRaw(topic: Topic, key: string, value: Buffer | string | null): Promise<void>
  /** Everything that lies in these topics now; of one partition in order. */
  read(topics: readonly string[]): Promise<StoredMessage[]>
  withAdmin<R>(work: (admin: Admin) => Promise<R>): Promise<R>
}

/** Few topics: each test has its own, and each costs the broker some time. */
const usedByContract: Topic[] = ['workflow.updated', 'workflow.completed', 'task.updated']

export async function kafkaFixture(
  server: TestKafka,
  topics = usedByContract,
  maxPartitions = 3,
): Promise<KafkaFixture> {
  const { brokers } = server
  const database = await testDatabase()
  const pool = createPool({ connectionString: database.url, schema: 'events', max: 20 })
  await migrateEvents(pool)
  const prefix = `t${randomUUID().slice(0, 8)}.`
  const kafka = new Kafka({ clientId: 'test', brokers, logLevel: logLevel.NOTHING })
  // The relay derives task.scheduled from some task.updated.
  const names = new Set([...topics, 'task.scheduled' as const].flatMap((topic) => [topic, deadLetterTopic(topic)]))
  const declarations = readTopicDeclarations()
    .filter(({ name }) => names.has(name))
    .map((declaration) => ({ ...declaration, partitions: Math.min(declaration.partitions, maxPartitions) }))
  const read = (names: readonly string[]) => readTopics(kafka, prefix, names)
  const buses: EventBus[] = []
  const processes: ReaderProcess[] = []
  return {
    ...{ url: database.url, pool, prefix, kafka, declarations },
    makeBus(connection = { brokers }) {
      const bus = createKafkaEventBus({
        connection: { ...connection, prefix },
        connectionString: database.url,
        clientId: 'test',
        topics: declarations,
        logger: testLogger,
      })
      buses.push(bus)
      return bus
    },
    publish: (events) => appendEvents(pool, 'test', events),
    async publishRaw(topic, key, data) {
      const sql = `insert into log (topic, key, source, data) values ($1, $2, 'test', $3)`
      await pool.query(sql, [topic, key, JSON.stringify(data)])
    },
    async sendRaw(topic, key, value) {
      const producer = kafka.producer()
      await producer.connect()
      await producer.send({ topic: prefix + topic, messages: [{ key, value }] })
      await producer.disconnect()
    },
    async startReaderProcess(group, topic) {
      const script = new URL('./kafka-reader-process.mjs', import.meta.url)
      const args = [database.url, brokers.join(','), prefix, group, topic, JSON.stringify(declarations)]
      const reader = await startReaderProcess(script, args)
      processes.push(reader)
      return reader
    },
    read,
    deadLetters: () => readDeadLetters(read, topics),
    withAdmin: (work) => withAdmin(kafka, work),
    async destroy() {
      await Promise.all(processes.map((reader) => reader.kill()))
      await Promise.all(buses.map((bus) => bus.close()))
      await pool.end()
      await database.drop()
    },
  }
}

async function withAdmin<R>(kafka: Kafka, work: (admin: Admin) => Promise<R>): Promise<R> {
  const admin = kafka.admin()
  await admin.connect()
  try {
    return await work(admin)
  } finally {
    await admin.disconnect()
  }
}

export interface StoredMessage {
  /** Without the prefix. */
  topic: string
  message: KafkaMessage
}

async function readDeadLetters(read: KafkaFixture['read'], topics: readonly Topic[]): Promise<StoredDeadLetter[]> {
  return (await read(topics.map(deadLetterTopic))).map(({ topic, message }) => ({
    group: String(message.headers?.['dlq-group']),
    topic,
    eventKey: String(message.key),
    reason: String(message.headers?.['dlq-reason']),
  }))
}

async function readTopics(kafka: Kafka, prefix: string, topics: readonly string[]): Promise<StoredMessage[]> {
  const names = topics.map((topic) => prefix + topic)
  const expected = await withAdmin(kafka, async (admin) => {
    const offsets = await Promise.all(names.map((name) => admin.fetchTopicOffsets(name)))
    return offsets.flat().reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0)
  })
  const found: StoredMessage[] = []
  if (expected === 0) return found
  const consumer = kafka.consumer({ groupId: `${prefix}look-${randomUUID()}`, maxWaitTimeInMs: 50 })
  await consumer.connect()
  await consumer.subscribe({ topics: names, fromBeginning: true })
  await new Promise<void>((resolve, reject) => {
    const eachMessage = async ({ topic, message }: { topic: string; message: KafkaMessage }) => {
      found.push({ topic: topic.slice(prefix.length), message })
      if (found.length === expected) resolve()
    }
    consumer.run({ eachMessage }).catch(reject)
  })
  await consumer.disconnect()
  return found
}
