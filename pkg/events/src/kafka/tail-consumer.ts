import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@millrace/logger'
import type { Admin, Consumer, EachBatchPayload, Kafka } from 'kafkajs'
import type { RawEvent } from '../cloud-event.js'
import { ContractError } from '../contract-check.js'
import type { TailOptions } from '../event-bus.js'
import { handleTail } from '../handle-tail.js'
import type { Topic } from '../topics.js'
import { decodeMessage } from './envelope.js'
import { endsWithin } from './partition-work.js'

export interface TailConsumerOptions<T extends Topic> extends TailOptions<T> {
  kafka: Kafka
  prefix: string
  logger: Logger
}

const restartMs = 500
const stopWithinMs = 5_000

/**
 * A group of one that commits nothing: the broker forgets it when it leaves. Where it begins was asked for before it
 * joined, and where it was is kept here, so that neither joining nor a lost broker costs an event.
 */
export class TailConsumer<T extends Topic> {
  private readonly stopping = new AbortController()
  private readonly stopped = new Promise<void>((resolve) => {
    this.stopping.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  /** The next offset of each partition, by topic. */
  private readonly positions = new Map<string, Map<number, string>>()
  private running: Promise<void> = Promise.resolve()

  constructor(private readonly options: TailConsumerOptions<T>) {}

  async start(admin: Admin): Promise<void> {
    for (const name of this.names) {
      const offsets = await admin.fetchTopicOffsets(name)
      this.positions.set(name, new Map(offsets.map(({ partition, high }) => [partition, high])))
    }
    this.running = this.run()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    await this.running
  }

  private get names(): string[] {
    return this.options.topics.map((topic) => this.options.prefix + topic)
  }

  private async run(): Promise<void> {
    const { name, logger } = this.options
    while (!this.stopping.signal.aborted) {
      try {
        await this.consume()
      } catch (error) {
        if (this.stopping.signal.aborted) return
        logger.warn({ err: error, tail: name }, 'reading the end of topics failed; going on from where it was')
        await delay(restartMs, undefined, { signal: this.stopping.signal }).catch(() => undefined)
      }
    }
  }

  /** Rejects when the consumer crashed; resolves when it was stopped. */
  private async consume(): Promise<void> {
    const { kafka, prefix, name } = this.options
    const consumer = kafka.consumer({
      groupId: `${prefix}${name}-tail-${randomUUID()}`,
      maxWaitTimeInMs: 250,
      allowAutoTopicCreation: false,
      retry: { restartOnFailure: async () => false },
    })
    const crashed = new Promise<never>((_, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
    })
    crashed.catch(() => undefined)
    try {
      await consumer.connect()
      await consumer.subscribe({ topics: this.names, fromBeginning: false })
      await consumer.run({ autoCommit: false, eachBatch: (payload) => this.onBatch(payload) })
      this.seek(consumer)
      await Promise.race([crashed, this.stopped])
    } finally {
      await endsWithin(consumer.disconnect(), stopWithinMs)
    }
  }

  private seek(consumer: Consumer): void {
    for (const [topic, offsets] of this.positions) {
      for (const [partition, offset] of offsets) consumer.seek({ topic, partition, offset })
    }
  }

  private async onBatch({ batch }: EachBatchPayload): Promise<void> {
    const { topic, partition, messages } = batch
    const at = BigInt(this.positions.get(topic)?.get(partition) ?? 0)
    const raws: RawEvent[] = []
    for (const message of messages) {
      // A fetch that was under way when the position was sought begins elsewhere.
      if (BigInt(message.offset) < at) continue
      try {
        raws.push(decodeMessage(topic.slice(this.options.prefix.length) as Topic, message))
      } catch (error) {
        if (!(error instanceof ContractError)) throw error
      }
    }
    if (raws.length > 0) await handleTail(raws, this.options)
    this.positions.get(topic)?.set(partition, String(BigInt(batch.lastOffset()) + 1n))
  }
}
