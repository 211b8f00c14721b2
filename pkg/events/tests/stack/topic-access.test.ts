import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type KafkaOptions,
  kafkaAdmin,
  kafkaSpec,
  makeKafkaAccounts,
  type ServerProcess,
  startServer,
} from '@millrace/stack-servers'
import { freePort, testLogger } from '@millrace/testkit'
import { Kafka, logLevel } from 'kafkajs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { kafkaAccountNames, prepareKafka } from '../../src/index.js'

const adminPassword = 'the-password-of-the-administrator'
const users = Object.fromEntries(kafkaAccountNames.map((name) => [name, `the-password-of-${name}`]))
let folder: string
let options: KafkaOptions
let server: ServerProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-kafka-access-'))
  const [port, controllerPort] = await Promise.all([freePort(), freePort()])
  // Formatted and used before there were accounts, as an older stack's.
  const open = { directory: join(folder, 'data'), port, controllerPort }
  const before = await startServer(await kafkaSpec(open), join(folder, 'kafka.log'))
  await before.stop()
  options = { ...open, accounts: { adminPassword, users } }
  server = await startServer(await kafkaSpec(options), join(folder, 'kafka.log'))
  for (let i = 0; i < 2; i++) {
    await makeKafkaAccounts(options)
    await prepareKafka({ brokers: [`127.0.0.1:${port}`], sasl: kafkaAdmin(adminPassword) }, testLogger)
  }
}, 600_000)

afterAll(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

function kafkaAs(username: string, password = users[username] ?? '', port = options.port): Kafka {
  const sasl = { mechanism: 'scram-sha-512' as const, username, password }
  return new Kafka({
    brokers: [`127.0.0.1:${port}`],
    sasl,
    retry: { retries: 5, initialRetryTime: 100 },
    logLevel: logLevel.NOTHING,
  })
}

async function publish(user: string, topic: string): Promise<void> {
  const producer = kafkaAs(user).producer({ allowAutoTopicCreation: false })
  await producer.connect()
  try {
    await producer.send({ topic, messages: [{ key: 'k', value: '{}' }] })
  } finally {
    await producer.disconnect()
  }
}

async function firstOf(user: string, topic: string, groupId: string): Promise<string | undefined> {
  const consumer = kafkaAs(user).consumer({
    groupId,
    retry: { retries: 5, initialRetryTime: 100, restartOnFailure: async () => false },
  })
  const crashed = new Promise<never>((_, reject) => {
    consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
  })
  crashed.catch(() => undefined)
  try {
    await consumer.connect()
    await consumer.subscribe({ topics: [topic], fromBeginning: true })
    const read = new Promise<string | undefined>((resolve) => {
      void consumer
        .run({ eachMessage: async ({ message }) => resolve(message.value?.toString()) })
        .catch(() => undefined)
    })
    return await Promise.race([read, crashed])
  } finally {
    await consumer.disconnect()
  }
}

test('nobody gets in without the password, at the broker or at the controller', async () => {
  for (const kafka of [
    kafkaAs('scheduler', 'a guess'),
    kafkaAs('nobody', 'x'),
    kafkaAs('scheduler', users.worker),
    kafkaAs('scheduler', users.scheduler, options.controllerPort),
    new Kafka({ brokers: [`127.0.0.1:${options.port}`], retry: { retries: 0 }, logLevel: logLevel.NOTHING }),
  ]) {
    const admin = kafka.admin()
    await expect(admin.connect().then(() => admin.listTopics())).rejects.toThrow()
    await admin.disconnect().catch(() => undefined)
  }
})

test('a worker publishes results and hears hints, and nothing else', async () => {
  await publish('worker', 'task.completed')
  await publish('scheduler', 'task.scheduled')
  expect(await firstOf('worker', 'task.scheduled', 'workers')).toBe('{}')
  for (const topic of ['workflow.started', 'task.scheduled', 'audit.recorded']) {
    await expect(publish('worker', topic)).rejects.toThrow(/not authorized/i)
  }
  await expect(firstOf('worker', 'workflow.started', 'workers')).rejects.toThrow(/not authorized/i)
})

test('a service reads in groups of its own', async () => {
  await publish('workflow', 'workflow.started')
  expect(await firstOf('scheduler', 'workflow.started', 'scheduler')).toBe('{}')
  await expect(firstOf('metadata', 'workflow.started', 'scheduler')).rejects.toThrow(/coordinator/)
})

test('no service makes topics or changes rights', async () => {
  const admin = kafkaAs('scheduler').admin()
  await admin.connect()
  try {
    await expect(admin.createTopics({ topics: [{ topic: 'mine' }] })).rejects.toThrow()
    await expect(admin.describeAcls({} as never)).rejects.toThrow()
  } finally {
    await admin.disconnect()
  }
})

test('passwords stand in private files alone', async () => {
  for (const name of ['server.properties', 'admin.properties', 'accounts']) {
    expect((await stat(join(options.directory, name))).mode & 0o077).toBe(0)
  }
  expect(await readFile(join(folder, 'kafka.log'), 'utf8')).not.toContain(adminPassword)
})
