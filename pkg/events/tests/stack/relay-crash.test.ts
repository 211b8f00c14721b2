import { withTransaction } from '@millrace/postgres'
import { testLogger, waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aRun, numbered } from '../../src/contract/fixture.js'
import { createKafkaEventBus } from '../../src/index.js'
import { startReaderProcess } from '../reader-processes.js'
import { type KafkaFixture, kafkaFixture, type TestKafka, testKafka } from './kafka-fixture.js'
import { inOrder, Ledger } from './ledger.js'

const keys = numbered('run', 20)

let kafka: TestKafka
let fixture: KafkaFixture
let ledger: Ledger
beforeAll(async () => {
  kafka = await testKafka()
})
afterAll(() => kafka.destroy())
beforeEach(async () => {
  fixture = await kafkaFixture(kafka, ['workflow.updated'])
  ledger = new Ledger(fixture.pool)
  await ledger.create()
})
afterEach(() => fixture.destroy())

const startRelay = () => {
  const args = [fixture.url, kafka.brokers.join(','), fixture.prefix, JSON.stringify(fixture.declarations)]
  return startReaderProcess(new URL('./relay-process.mjs', import.meta.url), args)
}

const publish = (sequence: number) => fixture.publish(keys.map((key) => aRun(key, sequence)))

async function outboxSize(): Promise<number> {
  return (await fixture.pool.query<{ count: number }>('select count(*)::int as count from log')).rows[0]?.count ?? 0
}

const onBroker = async (): Promise<string[]> =>
  (await fixture.read(['workflow.updated'])).map(({ message }) => JSON.parse(String(message.value)).id as string)

/** Starts a relay and kills it when it has sent all that lies in the outbox, and removed nothing of it yet. */
async function relayThatDiesBeforeRemoving(): Promise<void> {
  await withTransaction(fixture.pool, async (tx) => {
    await tx.query('set local idle_in_transaction_session_timeout = 0')
    await tx.query('select from log for update')
    const relay = await startRelay()
    const removing = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query like 'delete from log%'`
    const removes = async () => (await fixture.pool.query(removing)).rowCount === 1
    try {
      // A relay that comes after another waits for the end of its lease.
      await waitFor(removes, { timeoutMs: 30_000, what: 'the relay removes what it sent' })
    } finally {
      await relay.kill()
    }
    // Else the server would still do what the dead process had asked for.
    await fixture.pool.query(`select pg_terminate_backend(pid) from (${removing}) w`)
    await waitFor(async () => !(await removes()))
  })
}

describe('a relay killed between sending and removing', { timeout: 120_000 }, () => {
  test('its successor sends again; consumers apply once and in order; the outbox is empty in the end', async () => {
    const connection = { brokers: kafka.brokers, prefix: fixture.prefix }
    const topics = fixture.declarations
    const consumer = createKafkaEventBus({ connection, clientId: 'consumer', logger: testLogger, topics })
    try {
      await consumer.subscribe({ group: 'ledger', topics: ['workflow.updated'], handler: ledger.apply })
      const deaths = 2
      for (let sequence = 1; sequence <= deaths; sequence += 1) {
        await publish(sequence)
        await relayThatDiesBeforeRemoving()
        expect(await outboxSize()).toBe(sequence * keys.length)
      }
      await publish(deaths + 1)
      fixture.makeBus()
      await waitFor(async () => (await outboxSize()) === 0, { timeoutMs: 30_000, what: 'the outbox is empty' })
      const sent = await onBroker()
      const count = keys.length * (deaths + 1)
      await waitFor(() => ledger.deliveries >= sent.length, { timeoutMs: 30_000, what: 'all is delivered' })
      process.stdout.write(`${count} events, ${sent.length} messages, ${await ledger.size()} applied\n`)
      expect(new Set(sent).size).toBe(count)
      // The first lot was sent three times, the second twice.
      expect(sent.length).toBe(keys.length * (3 + 2 + 1))
      expect(await ledger.transitions()).toEqual(inOrder(keys, deaths + 1))
    } finally {
      await consumer.close()
    }
  })
})
