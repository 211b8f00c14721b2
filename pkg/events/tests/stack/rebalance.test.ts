import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { aRun, numbered } from '../../src/contract/fixture.js'
import type { KafkaEventBus } from '../../src/index.js'
import { eventMetrics } from '../../src/metrics.js'
import { type KafkaFixture, kafkaFixture, type TestKafka, testKafka } from './kafka-fixture.js'
import { inOrder, Ledger } from './ledger.js'

const group = 'long'
const partitions = 6
/** Longer than a heartbeat and than the moment in which a batch is waited for. */
const workMs = 900
const keys = numbered('run', 12)

let kafka: TestKafka
let fixture: KafkaFixture
let ledger: Ledger
beforeAll(async () => {
  kafka = await testKafka()
})
afterAll(() => kafka.destroy())
beforeEach(async () => {
  fixture = await kafkaFixture(kafka, ['workflow.updated'], partitions)
  ledger = new Ledger(fixture.pool)
  await ledger.create()
})
afterEach(() => fixture.destroy())

interface Consumer {
  bus: KafkaEventBus
  handled: number
}

async function addConsumer(): Promise<Consumer> {
  const consumer: Consumer = { bus: fixture.makeBus(), handled: 0 }
  await consumer.bus.subscribe({
    group,
    topics: ['workflow.updated'],
    maxBatch: 4,
    handler: async (events) => {
      await delay(workMs)
      await ledger.apply(events)
      consumer.handled += events.length
    },
  })
  return consumer
}

/** Goes on with every key until told to stop; answers how many events each key has. */
function load() {
  let going = true
  let sequence = 0
  const producing = (async () => {
    while (going) {
      sequence += 1
      await fixture.publish(keys.map((key) => aRun(key, sequence)))
      await delay(250)
    }
    return sequence
  })()
  return {
    stop(): Promise<number> {
      going = false
      return producing
    },
  }
}

async function rebalances(): Promise<number> {
  const { values } = await eventMetrics.rebalances.get()
  return values.find(({ labels }) => labels.group === group)?.value ?? 0
}

/** How many times each member that stays went through a division while `change` took place. */
async function divisionsDuring(change: () => Promise<unknown>, { stay, members }: { stay: number; members: number }) {
  const before = await rebalances()
  await change()
  const stable = async () => {
    const { groups } = await fixture.withAdmin((admin) => admin.describeGroups([fixture.prefix + group]))
    return groups[0]?.state === 'Stable' && groups[0].members.length === members
  }
  await waitFor(stable, { timeoutMs: 60_000, intervalMs: 100, what: `${members} members` })
  // Whoever would divide the group once more is heard within a heartbeat.
  await delay(1_500)
  expect(await stable()).toBe(true)
  return ((await rebalances()) - before) / stay
}

describe('consumers with long work', { timeout: 120_000 }, () => {
  test('1 → 4 → 1: one division for each change, no transition twice, order kept', async () => {
    const first = await addConsumer()
    const loading = load()
    await waitFor(() => first.handled > 0, { timeoutMs: 60_000 })
    let added: Consumer[] = []
    const came = await divisionsDuring(
      async () => {
        added = await Promise.all([addConsumer(), addConsumer(), addConsumer()])
      },
      { stay: 1, members: 4 },
    )
    await waitFor(() => added.every(({ handled }) => handled > 0), { timeoutMs: 60_000, what: 'all have work' })
    const went: number[] = []
    // Each ends its own work first, so they would not go at the same time even if told to.
    for (const [i, { bus }] of added.entries()) {
      went.push(await divisionsDuring(() => bus.close(), { stay: 3 - i, members: 3 - i }))
    }
    const count = await loading.stop()
    await waitFor(async () => (await ledger.size()) >= count * keys.length, {
      timeoutMs: 60_000,
      what: 'all is applied',
    })
    process.stdout.write(
      `divisions 1 → 4: ${came}, 4 → 1: ${went}; ${count * keys.length} events in ${ledger.deliveries} deliveries\n`,
    )
    expect(await ledger.transitions()).toEqual(inOrder(keys, count))
    expect(Math.max(came, ...went)).toBeLessThanOrEqual(1)
    expect(await fixture.deadLetters()).toEqual([])
  })
})
