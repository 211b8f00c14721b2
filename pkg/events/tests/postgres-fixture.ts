import { createPool, type Pool } from '@millrace/postgres'
import { testDatabase, testLogger } from '@millrace/testkit'
import type { EventBusFixture, OpenPublication, ReaderProcess } from '../src/contract.js'
import { type AnyNewEvent, appendEvents, createPostgresEventBus, type EventBus, migrateEvents } from '../src/index.js'
import { startReaderProcess } from './reader-processes.js'

export interface PostgresFixture extends EventBusFixture {
  url: string
  pool: Pool
  publishLater(events: readonly AnyNewEvent[]): Promise<OpenPublication>
}

export async function postgresFixture(): Promise<PostgresFixture> {
  const database = await testDatabase()
  const pool = createPool({ connectionString: database.url, schema: 'events', max: 20 })
  await migrateEvents(pool)
  const buses: EventBus[] = []
  const processes: ReaderProcess[] = []
  return {
    url: database.url,
    pool,
    makeBus() {
      const bus = createPostgresEventBus({ connectionString: database.url, logger: testLogger })
      buses.push(bus)
      return bus
    },
    publish: (events) => appendEvents(pool, 'test', events),
    publishLater: (events) => publishLater(pool, events),
    async publishRaw(topic, key, data) {
      await pool.query(`insert into log (topic, key, source, data) values ($1, $2, 'test', $3)`, [
        topic,
        key,
        JSON.stringify(data),
      ])
    },
    async startReaderProcess(group, topic) {
      const script = new URL('./reader-process.mjs', import.meta.url)
      const reader = await startReaderProcess(script, [database.url, group, topic])
      processes.push(reader)
      return reader
    },
    async deadLetters() {
      const sql = `select group_name as "group", topic, key as "eventKey", reason from dlq order by id`
      return (await pool.query(sql)).rows
    },
    async destroy() {
      await Promise.all(processes.map((reader) => reader.kill()))
      await Promise.all(buses.map((bus) => bus.close()))
      await pool.end()
      await database.drop()
    },
  }
}

async function publishLater(pool: Pool, events: readonly AnyNewEvent[]): Promise<OpenPublication> {
  const tx = await pool.connect()
  await tx.query('begin')
  await appendEvents(tx, 'test', events)
  const end = async (command: 'commit' | 'rollback') => {
    await tx.query(command)
    tx.release()
  }
  return { commit: () => end('commit'), abort: () => end('rollback') }
}
