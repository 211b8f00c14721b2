// One client, one process: node measure.mjs <client> <broker> <events>. Started by main.mjs, which owns the broker.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { createKafkaEventBus, readTopicDeclarations } from '../../pkg/events/dist/index.js'
import { createLogger } from '../../pkg/logger/dist/index.js'
import { createPlatformaticBus } from './platformatic-bus.mjs'

const [, , client, broker, count] = process.argv
const topic = 'workflow.updated'
const events = Number(count)
const [chunk, pauseMs, samples] = [500, 20, 300]
const names = new Set([topic, `${topic}.dlq`])
const options = {
  connection: { brokers: [broker], prefix: `m${randomUUID().slice(0, 8)}.` },
  clientId: 'measure',
  topics: readTopicDeclarations().filter(({ name }) => names.has(name)),
  logger: createLogger({ service: 'measure', level: 'silent' }),
}
const bus = client === 'kafkajs' ? createKafkaEventBus(options) : createPlatformaticBus(options)

const anEvent = (subject) => ({
  ...{ topic, key: `run-${Math.floor(Math.random() * 1_000)}`, subject },
  data: { runId: 'r', projectId: 'p', workflow: 'w', status: 'running', reason: 'x'.repeat(200) },
})

/** A group that calls back with each event. */
const read = (onEvent, group = randomUUID()) =>
  bus.subscribe({
    group,
    topics: [topic],
    handler: async (batch) => {
      for (const event of batch) onEvent(event)
    },
  })

async function timed(work) {
  const [cpu, at] = [process.cpuUsage(), performance.now()]
  await work()
  const { user, system } = process.cpuUsage(cpu)
  const seconds = (performance.now() - at) / 1_000
  return { perSecond: Math.round(events / seconds), cpuPer100k: ((user + system) / 1e6 / events) * 100_000 }
}

/** From before the call of publish to the handler, one event at a time. */
async function latency() {
  const sentAt = new Map()
  const taken = []
  let arrived = () => undefined
  const reader = await read(({ subject }) => {
    if (!sentAt.has(subject)) return
    taken.push(performance.now() - sentAt.get(subject))
    sentAt.delete(subject)
    arrived()
  })
  for (let i = 0; i < samples + 20; i += 1) {
    const seen = new Promise((resolve) => {
      arrived = resolve
    })
    sentAt.set(`s${i}`, performance.now())
    await bus.publish('bench', [anEvent(`s${i}`)])
    await seen
    await delay(pauseMs)
  }
  await reader.close()
  const sorted = taken.slice(20).sort((a, b) => a - b)
  const at = (share) => sorted[Math.floor(sorted.length * share)]
  return { p50: at(0.5), p99: at(0.99) }
}

async function produce() {
  let left = events / chunk
  const lane = async () => {
    while (left > 0) {
      left -= 1
      await bus.publish(
        'bench',
        Array.from({ length: chunk }, () => anEvent('load')),
      )
    }
  }
  await Promise.all([lane(), lane(), lane(), lane()])
}

async function consume() {
  let seen = 0
  let done = () => undefined
  const all = new Promise((resolve) => {
    done = resolve
  })
  const reader = await read(({ subject }) => {
    if (subject === 'load') seen += 1
    if (seen === events) done()
  })
  await all
  await reader.close()
}

/** Once the broker serves again: until it takes an event, and until one sent since then is handled. */
async function reconnect() {
  let [sent, handled] = [0, 0]
  let up = Number.POSITIVE_INFINITY
  const reader = await read(({ subject }) => {
    if (Number(subject) >= up) handled ||= performance.now()
  })
  await bus.publish('bench', [anEvent('first')])
  await delay(1_000)
  process.send('restart')
  const [message] = await once(process, 'message')
  if (message === 'up') up = performance.now()
  const until = performance.now() + 60_000
  while (handled === 0 && performance.now() < until) {
    const at = performance.now()
    await bus.publish('bench', [anEvent(String(at))]).then(
      () => {
        sent ||= performance.now()
      },
      () => undefined,
    )
    await delay(50)
  }
  await reader.close()
  return { sendMs: sent - up, handleMs: handled === 0 ? Number.POSITIVE_INFINITY : handled - up }
}

await bus.prepared()
const result = { latency: await latency(), produce: await timed(produce), consume: await timed(consume) }
result.reconnect = await reconnect()
process.send(result)
await bus.close()
process.exit(0)
