// The event bus with @platformatic/kafka for sending and consuming. A trial: outbox, envelope, delivery and dead letters
// are those of pkg/events, and so is the administration of topics.
import { setTimeout as delay } from 'node:timers/promises'
import { Consumer, Producer } from '@platformatic/kafka'
import { setAside } from '../../pkg/events/dist/deliver.js'
import { createKafkaEventBus, deliver } from '../../pkg/events/dist/index.js'
import { Committer } from '../../pkg/events/dist/kafka/committer.js'
import { sendDeadLetter } from '../../pkg/events/dist/kafka/dead-letters.js'
import { decodeMessage } from '../../pkg/events/dist/kafka/envelope.js'

const quick = { retries: 4, retryDelay: 100, connectTimeout: 3_000, timeout: 10_000 }
// A consumer that gives up leaves its member behind for the length of a session: it waits for the broker instead.
const patient = { ...quick, retries: 100_000, retryDelay: 250 }
const [mostQueued, fewQueued] = [8_000, 2_000]

class Sender {
  constructor(options) {
    this.producer = new Producer({ ...quick, ...options })
  }

  async send({ topicMessages }) {
    const bytes = (text) => (typeof text === 'string' ? Buffer.from(text) : (text ?? undefined))
    const messages = topicMessages.flatMap(({ topic, messages: each }) =>
      each.map(({ key, value, headers }) => ({
        topic,
        key: bytes(key),
        value: bytes(value),
        headers: new Map(Object.entries(headers ?? {}).map(([name, held]) => [Buffer.from(name), bytes(held)])),
      })),
    )
    await this.producer.send({ messages, acks: -1 })
  }

  async close() {
    await this.producer.close().catch(() => undefined)
  }
}

class GroupConsumer {
  stopping = new AbortController()
  term = new AbortController()
  queues = new Map()
  queued = 0

  constructor(options) {
    this.options = options
  }

  start() {
    this.running = this.run()
  }

  async stop() {
    this.stopping.abort()
    this.term.abort()
    await this.running
  }

  async run() {
    const { logger, prepared, group } = this.options
    while (!this.stopping.signal.aborted) {
      try {
        await prepared()
        await this.consume()
      } catch (error) {
        if (this.stopping.signal.aborted) return
        logger.warn({ err: error, group }, 'reading events failed; starting over')
        await delay(500, undefined, { signal: this.stopping.signal }).catch(() => undefined)
      }
    }
  }

  async consume() {
    const { connection, clientId, prefix, group, topics, logger } = this.options
    const consumer = new Consumer({
      ...{ ...patient, ...connection, clientId, groupId: prefix + group, autocommit: false },
      ...{ sessionTimeout: 20_000, rebalanceTimeout: 20_000, heartbeatInterval: 500, minBytes: 1, maxWaitTime: 250 },
    })
    const committer = new Committer(
      (offsets) =>
        consumer.commit({
          offsets: offsets.map((each) => ({ ...each, offset: BigInt(each.offset), leaderEpoch: -1 })),
        }),
      logger,
    )
    consumer.on('consumer:group:rebalance', () => this.term.abort())
    consumer.on('consumer:group:join', () => this.beginTerm(committer))
    try {
      const stream = await consumer.consume({
        topics: topics.map((topic) => prefix + topic),
        ...{ mode: 'committed', fallbackMode: 'earliest', autocommit: false, highWaterMark: 1_024 },
      })
      const ended = new Promise((resolve, reject) => {
        stream.once('error', reject)
        stream.once('close', resolve)
        this.stopping.signal.addEventListener('abort', resolve, { once: true })
        this.fail = reject
      })
      stream.on('data', (message) => this.take(message, stream, consumer, committer))
      await ended
      stream.pause()
      await Promise.all([...this.queues.values()].map(({ working }) => working))
      await committer.flush()
    } finally {
      this.term.abort()
      this.queues.clear()
      await Promise.race([consumer.close(true).catch(() => undefined), delay(5_000, undefined, { ref: false })])
    }
  }

  beginTerm(committer) {
    this.term.abort()
    committer.forget()
    if (this.stopping.signal.aborted) return
    this.term = new AbortController()
    for (const queue of this.queues.values()) queue.waiting.length = 0
    this.queued = 0
  }

  take(message, stream, consumer, committer) {
    // Fetched in an earlier division: it comes again, to whoever has the partition now.
    if (message.metadata?.generationId !== undefined && message.metadata.generationId !== consumer.generationId) return
    const place = `${message.topic}/${message.partition}`
    const queue = this.queues.get(place) ?? { waiting: [], working: undefined }
    this.queues.set(place, queue)
    queue.waiting.push(message)
    this.queued += 1
    if (this.queued > mostQueued) stream.pause()
    queue.working ??= this.work(queue, stream, committer)
      .catch((error) => {
        if (!this.term.signal.aborted) this.fail(error)
      })
      .finally(() => {
        queue.working = undefined
      })
  }

  async work(queue, stream, committer) {
    // What arrives in the same turn is one batch.
    await Promise.resolve()
    while (queue.waiting.length > 0 && !this.stopping.signal.aborted) {
      const { term } = this
      const batch = queue.waiting.splice(0, this.options.maxBatch)
      this.queued -= batch.length
      if (this.queued < fewQueued && stream.isPaused()) stream.resume()
      await this.handle(term, batch)
      const { topic, partition, offset } = batch.at(-1)
      if (term === this.term && !term.signal.aborted) committer.applied(topic, partition, offset + 1n)
    }
  }

  async handle(term, batch) {
    const { prefix, group, handler, logger, putAside } = this.options
    const delivery = { group, handler, logger, putAside, signal: term.signal }
    const events = []
    for (const { topic, partition, key, value, headers, offset } of batch) {
      const name = topic.slice(prefix.length)
      const held = Object.fromEntries([...headers].map(([each, text]) => [String(each), text]))
      const message = { key, value, headers: held, offset: String(offset) }
      try {
        events.push({ ...decodeMessage(name, message), message, partition })
      } catch (error) {
        const raw = { topic: name, eventId: '', key: String(key ?? ''), message, partition }
        await setAside({ raw, reason: 'undecodable', detail: error.message, tries: 1 }, delivery)
      }
    }
    await deliver(events, delivery)
  }
}

export function createPlatformaticBus(options) {
  const { connection, clientId, logger } = options
  const { prefix = '' } = connection
  const bus = createKafkaEventBus(options)
  const client = { bootstrapBrokers: connection.brokers }
  const senderOf = (name) => new Sender({ ...client, clientId: name })
  bus.sender = senderOf(clientId)
  if (bus.outbox) {
    bus.outbox.sender = senderOf(`${clientId}-relay`)
    bus.outbox.relay.options.sender = bus.outbox.sender
  }
  bus.subscribe = async ({ group, topics, handler, maxBatch = 500 }) => {
    const consumer = new GroupConsumer({
      ...{ connection: client, clientId, prefix, group, topics, handler, maxBatch, logger },
      prepared: () => bus.prepared(),
      putAside: (letter) => sendDeadLetter(bus.sender, prefix, group, letter),
    })
    bus.readers.set(group, { topics, consumer })
    consumer.start()
    return {
      group,
      caughtUp: (signal) => bus.untilCaughtUp(group, topics, signal),
      close: async () => {
        if (bus.readers.delete(group)) await consumer.stop()
      },
    }
  }
  return bus
}
