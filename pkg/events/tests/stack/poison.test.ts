import { unprocessable } from '@millrace/errors'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AnyNewEvent, deadLetterTopic, type KafkaEventBus, type Topic, topics } from '../../src/index.js'
import { eventMetrics } from '../../src/metrics.js'
import { type KafkaFixture, kafkaFixture, type TestKafka, testKafka } from './kafka-fixture.js'

const allTopics = Object.keys(topics) as Topic[]
const group = 'everything'

/** The least that its contract asks for. */
const anEvent = (topic: Topic, key: string): AnyNewEvent =>
  ({ topic, key, data: Object.fromEntries(topics[topic].required.map((name) => [name, 'x'])) }) as AnyNewEvent

interface Poison {
  reason: string
  send(topic: Topic): Promise<void>
}

let kafka: TestKafka
let fixture: KafkaFixture
let bus: KafkaEventBus
const handledAt = new Map<string, number>()

/** No CloudEvent; a CloudEvent that breaks its contract; one that its handler never takes. */
const poisons: Poison[] = [
  {
    reason: 'undecodable',
    send: (topic) => fixture.sendRaw(topic, 'same', Buffer.from([0xff, 0x00, 0x7b])),
  },
  {
    reason: 'contract_broken',
    send: (topic) =>
      fixture.sendRaw(
        topic,
        'same',
        JSON.stringify({ specversion: '1.0', id: 'b', source: 't', type: `millrace.${topic}.v1`, time: new Date() }),
      ),
  },
  {
    reason: 'handler_failed',
    send: (topic) => bus.publish('test', [{ ...anEvent(topic, 'same'), subject: 'hated' }]),
  },
]

beforeAll(async () => {
  kafka = await testKafka()
  fixture = await kafkaFixture(kafka, allTopics)
  bus = fixture.makeBus()
  await bus.subscribe({
    group,
    topics: allTopics,
    handler: async (events) => {
      if (events.some(({ subject }) => subject === 'hated')) throw unprocessable('hated', 'nobody takes this')
      for (const { topic, subject } of events) handledAt.set(`${topic} ${subject}`, performance.now())
    },
  })
  // Until the topics are made, the broker takes nothing.
  await waitFor(() => publish(allTopics, 'warm'), { timeoutMs: 60_000 })
}, 180_000)
afterAll(async () => {
  await fixture.destroy()
  await kafka.destroy()
})

/** Publishes one event on each topic, of the key that the poison has, and answers how long each took. */
async function publish(on: readonly Topic[], subject: string): Promise<number[]> {
  const at = performance.now()
  await bus.publish(
    'test',
    on.map((topic) => ({ ...anEvent(topic, 'same'), subject })),
  )
  const times = await waitFor(() => handled(on, subject), { timeoutMs: 60_000, what: `${subject} is handled` })
  return times.map((time) => time - at)
}

function handled(on: readonly Topic[], subject: string): number[] | undefined {
  const times = on.flatMap((topic) => handledAt.get(`${topic} ${subject}`) ?? [])
  return times.length === on.length ? times : undefined
}

const member = () =>
  fixture.withAdmin(async (admin) => {
    const { groups } = await admin.describeGroups([fixture.prefix + group])
    return groups[0]?.members.map(({ memberId }) => memberId)
  })

async function letters(reason: string) {
  const found = await fixture.read(allTopics.map(deadLetterTopic))
  return found
    .map(({ topic, message: { headers } }) => ({
      topic,
      group: String(headers?.['dlq-group']),
      reason: String(headers?.['dlq-reason']),
      source: String(headers?.['dlq-source']).replace(/\/\d+\/\d+$/, ''),
      told: String(headers?.['dlq-detail'] ?? '') !== '',
    }))
    .filter((letter) => letter.reason === reason)
    .sort((a, b) => a.topic.localeCompare(b.topic))
}

const rebalances = async () => (await eventMetrics.rebalances.get()).values.reduce((sum, { value }) => sum + value, 0)

/** How late the others may come for the poison's sake. */
const delayMs = 1_000

describe('one poison message on each topic', { timeout: 120_000 }, () => {
  test.each(poisons)(
    '$reason: the others pass, it lies in the dlq with its reason, the reader stays',
    async (poison) => {
      const [before, divided] = [await member(), await rebalances()]
      const calm = Math.max(...(await publish(allTopics, `before ${poison.reason}`)))
      await Promise.all(allTopics.map((topic) => poison.send(topic)))
      const late = Math.max(...(await publish(allTopics, `behind ${poison.reason}`)))
      process.stdout.write(`poison ${poison.reason}: others ${late.toFixed(0)} ms, without it ${calm.toFixed(0)} ms\n`)
      expect(late - calm).toBeLessThan(delayMs)
      // What was behind it was handled, so it had been put aside before.
      expect(await letters(poison.reason)).toEqual(
        [...allTopics]
          .sort((a, b) => a.localeCompare(b))
          .map((topic) => ({
            ...{ topic: deadLetterTopic(topic), group, reason: poison.reason },
            ...{ source: fixture.prefix + topic, told: true },
          })),
      )
      expect([await member(), await rebalances()]).toEqual([before, divided])
    },
  )

  test('one topic after another: no other topic waits for it', async () => {
    const lateness: number[] = []
    for (const topic of allTopics) {
      for (const poison of poisons) await poison.send(topic)
      lateness.push(...(await publish(allTopics, `after ${topic}`)))
    }
    const [worst, median] = [Math.max(...lateness), [...lateness].sort((a, b) => a - b)[lateness.length >> 1] ?? 0]
    process.stdout.write(`poison on one topic: slowest ${worst.toFixed(0)} ms, median ${median.toFixed(0)} ms\n`)
    expect(worst - median).toBeLessThan(delayMs)
  })
})
