import { setMaxListeners } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@millrace/logger'
import type { Consumer, EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs'
import type { EventOf } from '../cloud-event.js'
import { ContractError } from '../contract-check.js'
import { type DeadLetter, deliver, setAside } from '../deliver.js'
import { eventMetrics } from '../metrics.js'
import type { Topic } from '../topics.js'
import { Committer } from './committer.js'
import type { ReceivedEvent } from './dead-letters.js'
import { decodeMessage } from './envelope.js'
import { endsWithin, PartitionWork } from './partition-work.js'

export interface GroupConsumerOptions<T extends Topic> {
  kafka: Kafka
  prefix: string
  group: string
  topics: readonly T[]
  handler: (events: EventOf<T>[]) => Promise<void>
  maxBatch: number
  putAside: (letter: DeadLetter<ReceivedEvent>) => Promise<void>
  /** The topics exist once this resolves. */
  prepared: () => Promise<void>
  logger: Logger
}

/** Handling that takes longer goes on beside the fetching, with its partition paused, so that it delays no other. */
const handOffMs = 300
const restartMs = 500
const stopWithinMs = 5_000
/** Each fetch waits so long for something to come; the broker answers at once when it does. */
const maxWaitMs = 250
const concurrentPartitions = 16
/**
 * A member that was killed holds its partitions for so long, and whoever joins meanwhile waits for it. Six seconds is the
 * least that brokers accept unless told otherwise; handling is handed off, so a member that lives is never silent as long.
 */
const sessionTimeoutMs = 6_000
const rebalanceTimeoutMs = 10_000

/** From one division of the group to the next. */
type Term = AbortController

function newTerm(): Term {
  const term = new AbortController()
  // Each partition may wait on it at the same time.
  setMaxListeners(0, term.signal)
  return term
}

/**
 * One member of a group. The library fetches and keeps the membership alive; what is fetched is handled here. A batch is
 * waited for a moment, so that commits and rebalances find it done; beyond that it is handed off, and the loop that
 * sends heartbeats goes on.
 */
export class GroupConsumer<T extends Topic> {
  private readonly stopping = new AbortController()
  /** Made once: a loop that waits for it again and again must not add listeners. */
  private readonly stopped = new Promise<void>((resolve) => {
    this.stopping.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  private readonly works = new Map<string, PartitionWork>()
  private term: Term = newTerm()
  private joined = false
  private crash: (error: unknown) => void = () => undefined
  private running: Promise<void> = Promise.resolve()

  constructor(private readonly options: GroupConsumerOptions<T>) {}

  start(): void {
    this.running = this.run()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    this.term.abort()
    await this.running
  }

  private async run(): Promise<void> {
    const { group, logger, prepared } = this.options
    while (!this.stopping.signal.aborted) {
      try {
        await Promise.race([prepared(), this.stopped])
        if (!this.stopping.signal.aborted) await this.consume()
      } catch (error) {
        if (this.stopping.signal.aborted) return
        logger.warn({ err: error, group }, 'reading events from Kafka failed; starting over from the committed offsets')
        await delay(restartMs, undefined, { signal: this.stopping.signal }).catch(() => undefined)
      }
    }
  }

  /** Rejects when the consumer crashed; resolves when it was stopped. */
  private async consume(): Promise<void> {
    const { kafka, prefix, group, topics, logger } = this.options
    const consumer = kafka.consumer({
      groupId: prefix + group,
      sessionTimeout: sessionTimeoutMs,
      rebalanceTimeout: rebalanceTimeoutMs,
      heartbeatInterval: 500,
      minBytes: 1,
      maxWaitTimeInMs: maxWaitMs,
      maxBytesPerPartition: 4 * 1024 * 1024,
      allowAutoTopicCreation: false,
      retry: { restartOnFailure: async () => false },
    })
    const committer = new Committer((offsets) => consumer.commitOffsets(offsets), logger)
    const crashed = new Promise<never>((_, reject) => {
      consumer.on(consumer.events.CRASH, ({ payload }) => reject(payload.error))
      this.crash = reject
    })
    crashed.catch(() => undefined)
    consumer.on(consumer.events.REBALANCING, () => this.term.abort())
    consumer.on(consumer.events.GROUP_JOIN, () => this.beginTerm(consumer, committer))
    this.joined = false
    try {
      await consumer.connect()
      await consumer.subscribe({ topics: topics.map((topic) => prefix + topic), fromBeginning: true })
      await consumer.run({
        autoCommit: false,
        eachBatchAutoResolve: false,
        partitionsConsumedConcurrently: concurrentPartitions,
        eachBatch: (payload) => this.onBatch(consumer, committer, payload),
      })
      await Promise.race([crashed, this.stopped])
      // Still a member: what was handled can be committed.
      consumer.pause(topics.map((topic) => ({ topic: prefix + topic })))
      await Promise.all([...this.works.values()].map((work) => work.idle()))
      await committer.flush()
    } finally {
      this.term.abort()
      await endsWithin(consumer.disconnect(), stopWithinMs)
    }
  }

  private beginTerm(consumer: Consumer, committer: Committer): void {
    const { group } = this.options
    this.term.abort()
    committer.forget()
    if (this.stopping.signal.aborted) return
    this.term = newTerm()
    if (this.joined) eventMetrics.rebalances.inc({ group })
    this.joined = true
    // A pause outlives the division it was made in. What still works on its partition resumes it in the end.
    const idle = consumer.paused().flatMap(({ topic, partitions }) => {
      const free = partitions.filter((partition) => !this.works.get(`${topic}/${partition}`)?.busy)
      return free.length > 0 ? [{ topic, partitions: free }] : []
    })
    if (idle.length > 0) consumer.resume(idle)
  }

  private async onBatch(consumer: Consumer, committer: Committer, payload: EachBatchPayload): Promise<void> {
    const { batch, resolveOffset } = payload
    const { topic, partition, messages } = batch
    const last = messages.at(-1)
    if (last === undefined) return
    const term = this.term
    if (term.signal.aborted) {
      await delay(20)
      return
    }
    const work = this.workOf(topic, partition)
    const done = work.add(() => this.handle(term, committer, topic, partition, messages))
    done.catch((error: unknown) => {
      if (term.signal.aborted) return
      // Neither handled nor put aside: nothing later may be committed over it.
      term.abort()
      this.crash(error)
    })
    if (!(await endsWithin(done, handOffMs))) {
      const place = [{ topic, partitions: [partition] }]
      consumer.pause(place)
      void done.catch(() => undefined).then(() => resumeIfRunning(consumer, place))
    }
    // Where the next fetch begins. What counts as handled is what the committer was told.
    resolveOffset(last.offset)
  }

  /** Rejects when the term ended first: the rest comes again. */
  private async handle(
    term: Term,
    committer: Committer,
    topic: string,
    partition: number,
    messages: readonly KafkaMessage[],
  ): Promise<void> {
    const { group, handler, logger, maxBatch, putAside, prefix } = this.options
    const name = topic.slice(prefix.length) as T
    const delivery = { group, handler, logger, putAside, signal: term.signal }
    for (let start = 0; start < messages.length; start += maxBatch) {
      term.signal.throwIfAborted()
      const slice = messages.slice(start, start + maxBatch)
      const { events, letters } = receive(name, partition, slice)
      for (const letter of letters) await setAside(letter, delivery)
      await deliver<T, ReceivedEvent>(events, delivery)
      const next = BigInt(slice.at(-1)?.offset ?? -1) + 1n
      // A term that ended while the handler ran: the partition may be someone else's, whose commits are not to be undone.
      if (term === this.term) committer.applied(topic, partition, next)
    }
  }

  private workOf(topic: string, partition: number): PartitionWork {
    const place = `${topic}/${partition}`
    const known = this.works.get(place)
    if (known !== undefined) return known
    const work = new PartitionWork()
    this.works.set(place, work)
    return work
  }
}

function resumeIfRunning(consumer: Consumer, place: { topic: string; partitions: number[] }[]): void {
  try {
    consumer.resume(place)
  } catch {
    // It was stopped meanwhile.
  }
}

function receive(topic: Topic, partition: number, messages: readonly KafkaMessage[]) {
  const events: ReceivedEvent[] = []
  const letters: DeadLetter<ReceivedEvent>[] = []
  for (const message of messages) {
    try {
      events.push({ ...decodeMessage(topic, message), message, partition })
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
      const nothing = { source: '', subject: '', time: new Date(0), sequence: 0, traceparent: null, data: '' }
      const raw = { ...nothing, topic, eventId: '', key: message.key?.toString() ?? '', message, partition }
      letters.push({ raw, reason: 'undecodable', detail: error.message, tries: 1 })
    }
  }
  return { events, letters }
}
