import type { AnyNewEvent, EventOf } from './cloud-event.js'
import type { Topic } from './topics.js'

export interface SubscribeOptions<T extends Topic> {
  /** Each event reaches each group at least once; of a key, one reader of the group handles events at a time. */
  group: string
  topics: readonly T[]
  /**
   * Must be idempotent. Events of one key come in order. A retryable failure (a dependency that is down) pauses the
   * group until it passes; any other failure is tried again, then the culprit alone goes to `<topic>.dlq`.
   */
  handler: (events: EventOf<T>[]) => Promise<void>
  maxBatch?: number
  /**
   * At least this long from one look to the next, so that what happens meanwhile comes as one batch; 0 unless given.
   * For readers nobody waits for.
   */
  paceMs?: number
  /**
   * The same while events come in floods, for readers whose work shrinks when several events of one thing come together:
   * they fall this far behind, and leave the machine to those who make the events. `paceMs` unless given.
   */
  floodPaceMs?: number
}

export interface Subscription {
  readonly group: string
  /** Resolves once the group has handled everything that lay in its topics when this was asked. */
  caughtUp(signal: AbortSignal): Promise<void>
  /** Waits for the batch being handled. */
  close(): Promise<void>
}

export interface TailOptions<T extends Topic> {
  /** For logs, and for the broker's list of groups. */
  name: string
  topics: readonly T[]
  /** Its failures are logged and passed: whoever needs every event subscribes. */
  handler: (events: EventOf<T>[]) => Promise<void>
}

export interface Tail {
  /** Waits for the batch being handled. */
  close(): Promise<void>
}

export interface HintOptions {
  /** Wakes only readers of these; everybody without it. */
  topics?: readonly Topic[]
  /** How long the hint may wait for others to share its message. 0 unless given. */
  withinMs?: number
}

export interface EventBus {
  subscribe<T extends Topic>(options: SubscribeOptions<T>): Promise<Subscription>
  /**
   * Every process sees every event, from now on, and nothing is remembered: for what people watch. Resolves once all that
   * is committed from then on will be seen. Events of one key come in order, perhaps more than once.
   */
  tail<T extends Topic>(options: TailOptions<T>): Promise<Tail>
  /** Wakes readers after a commit. Only a hint: events arrive without it, a little later. Never inside a transaction. */
  hint(options?: HintOptions): void
  close(): Promise<void>
}

/** For what has no transaction to be written in: a worker's claims, and hints to workers. */
export interface EventPublisher {
  /** Resolves once the broker has them. A rejection means perhaps. */
  publish(source: string, events: readonly AnyNewEvent[]): Promise<void>
}
