import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Batcher, createBatcher } from '@millrace/batcher'
import type { Logger } from '@millrace/logger'
import { createPool, type Pool } from '@millrace/postgres'
import { currentTraceparent } from '@millrace/telemetry'
import type { Admin, Kafka, Message } from 'kafkajs'
import type { AnyNewEvent } from '../cloud-event.js'
import { encodeData } from '../contract-check.js'
import type {
  EventBus,
  EventPublisher,
  HintOptions,
  SubscribeOptions,
  Subscription,
  Tail,
  TailOptions,
} from '../event-bus.js'
import { eventMetrics } from '../metrics.js'
import { ControlSession } from '../postgres/control-session.js'
import { HintSender, readHint } from '../postgres/hint-sender.js'
import type { Topic } from '../topics.js'
import { sendDeadLetter } from './dead-letters.js'
import { ensureTopics } from './ensure-topics.js'
import { encodeMessage } from './envelope.js'
import { GroupConsumer } from './group-consumer.js'
import { createKafka, type KafkaConnection } from './kafka-client.js'
import { measureLag, untilCaughtUp } from './progress.js'
import { Relay } from './relay/relay.js'
import { kafkaDown, Sender } from './sender.js'
import { TailConsumer } from './tail-consumer.js'
import { readTopicDeclarations, type TopicDeclaration } from './topic-declarations.js'

export interface KafkaEventBusOptions {
  connection: KafkaConnection
  /** Whose outbox is relayed. Without it nothing is relayed: for those who have no database. */
  connectionString?: string
  /** Shown by the broker. */
  clientId: string
  logger: Logger
  /** Those of infra/kafka/topics.yaml unless given. */
  topics?: readonly TopicDeclaration[]
}

export type KafkaEventBus = EventBus & EventPublisher

/** Producers write to the outbox with `appendEvents` in their own transactions; the relay takes it from there. */
export function createKafkaEventBus(options: KafkaEventBusOptions): KafkaEventBus {
  return new BusOnKafka(options)
}

const lagEveryMs = 5_000
const prepareRetryMs = 500
/** Said in place of topics: parts of the outbox are free. */
const PARTS_FREE = 'parts'

interface Outbox {
  pool: Pool
  sender: Sender
  relay: Relay
  hints: HintSender
  control: ControlSession
}

interface Reader {
  topics: readonly Topic[]
  consumer: { stop(): Promise<void> }
}

class BusOnKafka implements KafkaEventBus {
  private readonly id = randomUUID()
  private readonly kafka: Kafka
  private readonly prefix: string
  private readonly sender: Sender
  private readonly publications: Batcher<{ topic: string; message: Message }, undefined>
  private readonly outbox: Outbox | undefined
  private readonly readers = new Map<string, Reader>()
  private readonly tails = new Set<{ stop(): Promise<void> }>()
  private readonly closed = new AbortController()
  private readonly lagTimer: NodeJS.Timeout
  private preparing: Promise<void> | undefined
  private closing: Promise<void> | undefined

  constructor(private readonly options: KafkaEventBusOptions) {
    const { connection, clientId, logger, connectionString } = options
    this.prefix = connection.prefix ?? ''
    this.kafka = createKafka(connection, clientId, logger)
    this.sender = new Sender(this.kafka)
    this.publications = createBatcher({ run: (items) => this.sendAll(items) })
    if (connectionString !== undefined) this.outbox = this.openOutbox(connectionString)
    this.lagTimer = setInterval(() => void this.measureLags(), lagEveryMs)
    this.lagTimer.unref()
  }

  async subscribe<T extends Topic>(subscribe: SubscribeOptions<T>): Promise<Subscription> {
    const { group, topics, handler, maxBatch = 500 } = subscribe
    const { logger } = this.options
    const { prefix, kafka, sender } = this
    if (this.closing !== undefined) throw new Error('the event bus is closed')
    if (this.readers.has(group)) throw new Error(`group ${group} already has a reader on this bus`)
    const consumer = new GroupConsumer<T>({
      ...{ kafka, prefix, group, topics, handler, maxBatch, logger },
      prepared: () => this.prepared(),
      putAside: (letter) => sendDeadLetter(sender, prefix, group, letter),
    })
    this.readers.set(group, { topics, consumer })
    consumer.start()
    return {
      group,
      caughtUp: (signal) => this.untilCaughtUp(group, topics, signal),
      close: async () => {
        if (this.readers.delete(group)) await consumer.stop()
      },
    }
  }

  async tail<T extends Topic>(options: TailOptions<T>): Promise<Tail> {
    const { kafka, prefix } = this
    if (this.closing !== undefined) throw new Error('the event bus is closed')
    await this.prepared()
    const tail = new TailConsumer<T>({ ...options, kafka, prefix, logger: this.options.logger })
    await this.withAdmin((admin) => tail.start(admin))
    this.tails.add(tail)
    return {
      close: async () => {
        if (this.tails.delete(tail)) await tail.stop()
      },
    }
  }

  hint({ topics, withinMs = 0 }: HintOptions = {}): void {
    if (this.closing !== undefined || this.outbox === undefined) return
    const { relay, hints } = this.outbox
    relay.wake()
    if (!relay.ownsAll) hints.send(topics, withinMs)
  }

  async publish(source: string, events: readonly AnyNewEvent[]): Promise<void> {
    const traceparent = currentTraceparent() ?? null
    const time = new Date()
    const messages = events.map((event) => ({
      topic: this.prefix + event.topic,
      message: encodeMessage({
        ...{ topic: event.topic, eventId: randomUUID(), source, time, key: event.key },
        subject: event.subject ?? event.key,
        sequence: event.sequence ?? 0,
        traceparent: event.traceparent ?? traceparent,
        data: encodeData(event.topic, event.data),
      }),
    }))
    await Promise.all(messages.map((message) => this.publications.submit(message)))
  }

  close(): Promise<void> {
    this.closing ??= this.shutDown()
    return this.closing
  }

  private async shutDown(): Promise<void> {
    clearInterval(this.lagTimer)
    this.closed.abort()
    const consumers = [...this.readers.values()].map(({ consumer }) => consumer)
    await Promise.all([...consumers, ...this.tails].map((each) => each.stop()))
    await this.publications.close()
    if (this.outbox !== undefined) {
      const { relay, hints, control, pool, sender } = this.outbox
      await relay.stop()
      await sender.close()
      await hints.close()
      await control.close()
      await pool.end()
    }
    await this.sender.close()
  }

  private openOutbox(connectionString: string): Outbox {
    const { connection, clientId, logger } = this.options
    // A removal that a crash undoes is a second sending, and nothing else is written here.
    const settings = { synchronous_commit: 'off' }
    const pool = createPool({ connectionString, schema: 'events', max: 3, applicationName: 'millrace-relay', settings })
    const hints = new HintSender(pool, this.id)
    const sender = new Sender(createKafka(connection, `${clientId}-relay`, logger))
    const relay = new Relay({
      ...{ pool, sender, prefix: this.prefix, logger },
      prepared: () => this.prepared(),
      released: () => hints.send([PARTS_FREE as Topic], 0),
    })
    const onHint = (payload: string) => {
      const { sender: from, topics } = readHint(payload)
      if (from === this.id) return
      if (topics?.has(PARTS_FREE)) relay.reclaim()
      relay.wake()
    }
    const control = new ControlSession({ connectionString, logger, onHint, onListening: () => relay.wake() })
    control.listen()
    relay.start()
    return { pool, sender, relay, hints, control }
  }

  /** Creates the topics once; until that worked, everybody who needs them waits here. */
  private async prepared(): Promise<void> {
    while (!this.closed.signal.aborted) {
      this.preparing ??= this.withAdmin((admin) =>
        ensureTopics(admin, this.options.topics ?? readTopicDeclarations(), this.prefix),
      )
      try {
        return await this.preparing
      } catch (error) {
        this.preparing = undefined
        this.options.logger.warn({ err: error }, 'Kafka cannot be reached to look for topics; trying again')
        await delay(prepareRetryMs, undefined, { signal: this.closed.signal })
      }
    }
  }

  private async withAdmin<R>(work: (admin: Admin) => Promise<R>): Promise<R> {
    const admin = this.kafka.admin()
    try {
      await admin.connect()
      return await work(admin)
    } finally {
      await admin.disconnect().catch(() => undefined)
    }
  }

  private async sendAll(items: { topic: string; message: Message }[]): Promise<undefined[]> {
    const byTopic = new Map<string, Message[]>()
    for (const { topic, message } of items) byTopic.set(topic, [...(byTopic.get(topic) ?? []), message])
    try {
      await this.sender.send({ topicMessages: [...byTopic].map(([topic, messages]) => ({ topic, messages })) })
    } catch (error) {
      throw kafkaDown(error)
    }
    return items.map(() => undefined)
  }

  private async untilCaughtUp(group: string, topics: readonly Topic[], signal: AbortSignal): Promise<void> {
    const names = topics.map((topic) => this.prefix + topic)
    const either = AbortSignal.any([signal, this.closed.signal])
    for (;;) {
      either.throwIfAborted()
      await this.prepared()
      try {
        return await this.withAdmin((admin) => untilCaughtUp(admin, this.prefix + group, names, either))
      } catch (error) {
        either.throwIfAborted()
        this.options.logger.debug({ err: error, group }, 'the progress of a group could not be read')
        await delay(prepareRetryMs, undefined, { signal: either })
      }
    }
  }

  private async measureLags(): Promise<void> {
    if (this.readers.size === 0) return
    try {
      await this.withAdmin(async (admin) => {
        for (const [group, { topics }] of this.readers) {
          const names = topics.map((topic) => this.prefix + topic)
          eventMetrics.lag.set({ group }, await measureLag(admin, this.prefix + group, names))
        }
      })
    } catch (error) {
      this.options.logger.debug({ err: error }, 'the lag of event groups could not be measured')
    }
  }
}
