import { unavailable } from '@millrace/errors'
import { type Kafka, Partitioners, type Producer, type ProducerBatch } from 'kafkajs'

/** Connects when there is something to send, and again after a failure to connect. */
export class Sender {
  private readonly producer: Producer
  private connecting: Promise<void> | undefined

  constructor(kafka: Kafka) {
    this.producer = kafka.producer({
      createPartitioner: Partitioners.DefaultPartitioner,
      allowAutoTopicCreation: false,
      // The library repeats only for the brokers that failed; the caller could only repeat all.
      retry: { initialRetryTime: 30, maxRetryTime: 300, retries: 4 },
    })
  }

  /** Resolves once all replicas in sync have everything. */
  async send(batch: ProducerBatch): Promise<void> {
    try {
      this.connecting ??= this.producer.connect()
      await this.connecting
    } catch (error) {
      this.connecting = undefined
      throw error
    }
    await this.producer.sendBatch({ acks: -1, ...batch })
  }

  async close(): Promise<void> {
    if (this.connecting !== undefined) await this.producer.disconnect().catch(() => undefined)
  }
}

/** The broker will never take it, however often it is asked. */
export function isRefusal(error: unknown): boolean {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    const { type } = cause as Error & { type?: string }
    if (type !== undefined && refusals.has(type)) return true
  }
  return false
}

const refusals = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'INVALID_TIMESTAMP'])

export const kafkaDown = (error: unknown): Error =>
  unavailable('kafka_unreachable', 'Kafka did not take the message', { cause: error })
