import { randomUUID } from 'node:crypto'
import type { AnyNewEvent, EventOf } from '../cloud-event.js'
import type { EventBus } from '../event-bus.js'
import type { Topic } from '../topics.js'

export interface StoredDeadLetter {
  group: string
  /** `<topic>.dlq` */
  topic: string
  eventKey: string
  reason: string
}

/** Events written but not yet committed. */
export interface OpenPublication {
  commit(): Promise<void>
  abort(): Promise<void>
}

/** A reader in a process of its own, to be killed. */
export interface ReaderProcess {
  /** Keys of events, in order of delivery. */
  readonly seen: readonly string[]
  kill(): Promise<void>
}

/** What an adapter's tests bring: one fresh log, and ways to touch it that a bus does not offer. */
export interface EventBusFixture {
  /** Another bus on the same log, as another process would have it. Closed by `destroy`. */
  makeBus(): EventBus
  publish(events: readonly AnyNewEvent[]): Promise<void>
  /** Only where the log is transactional. */
  publishLater?(events: readonly AnyNewEvent[]): Promise<OpenPublication>
  /** Past the producer's check of the contract. */
  publishRaw(topic: Topic, key: string, data: unknown): Promise<void>
  startReaderProcess(group: string, topic: Topic): Promise<ReaderProcess>
  deadLetters(): Promise<StoredDeadLetter[]>
  destroy(): Promise<void>
}

export const aRun = (key: string = randomUUID(), sequence = 1): AnyNewEvent => ({
  topic: 'workflow.updated',
  key,
  sequence,
  data: { runId: key, projectId: 'p', workflow: 'w', status: 'running', version: sequence },
})

export const aTask = (key: string): AnyNewEvent => ({
  topic: 'task.updated',
  key,
  data: { taskId: key, runId: key, projectId: 'p', status: 'queued' },
})

export class Recorder<T extends Topic = Topic> {
  readonly events: EventOf<T>[] = []
  readonly batchSizes: number[] = []

  readonly handle = async (batch: EventOf<T>[]): Promise<void> => {
    this.batchSizes.push(batch.length)
    this.events.push(...batch)
  }

  get keys(): string[] {
    return this.events.map((event) => event.partitionkey)
  }

  /** Each key once, sorted: events come at least once, and order is promised for each key, not among keys. */
  get sorted(): string[] {
    return [...new Set(this.keys)].sort()
  }

  count(key: string): number {
    return this.keys.filter((each) => each === key).length
  }
}

export const numbered = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}-${i}`)
