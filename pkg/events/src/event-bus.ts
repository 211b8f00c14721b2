import type { EventOf } from './cloud-event.js'
import type { Topic } from './topics.js'

export interface SubscribeOptions<T extends Topic> {
  /** Each event reaches each group at least once; one reader of a group is active at a time. */
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
}

export interface Subscription {
  readonly group: string
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
  /** Wakes readers after a commit. Only a hint: events arrive without it, a little later. Never inside a transaction. */
  hint(options?: HintOptions): void
  close(): Promise<void>
}
