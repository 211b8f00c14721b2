import type { ErrorClass } from './error-class.js'
import type { Retention } from './retention.js'

/** The normalised form: plain JSON, tasks as a record in source order, edges only in `needs`, durations as written. */
export interface Definition {
  name: string
  description?: string
  tags?: string[]
  input?: unknown
  concurrency?: ConcurrencyDefinition
  timeout?: string
  retention?: Retention
  /** A run that takes longer is late, and so is one that does not start within it. */
  expectedDuration?: string
  output?: unknown
  defaults?: TaskDefaults
  tasks: Record<string, TaskDefinition>
}

export interface TaskDefaults {
  retry?: RetryDefinition
  timeout?: string
  queueTimeout?: string
  totalTimeout?: string
  queue?: string
  priority?: number
  onFailure?: 'stop' | 'continue'
}

export interface TaskDefinition extends TaskDefaults {
  name?: string
  description?: string
  uses: string
  needs?: string[]
  when?: When
  if?: string | boolean
  with?: Record<string, unknown>
  /** Counted over the whole project by key. */
  concurrency?: Omit<ConcurrencyDefinition, 'onLimit'>
  rateLimit?: RateLimitDefinition
  /** Undoes what the task did, when the run ends `failed` or `cancelled`. */
  compensate?: CompensationDefinition
}

export type CompensationDefinition = Omit<TaskDefinition, 'needs' | 'when' | 'if' | 'onFailure' | 'compensate'>

export type When = 'all_success' | 'all_done' | 'any_success' | 'any_failed' | 'none_failed'

export interface ConcurrencyDefinition {
  limit: number
  key?: string
  onLimit?: 'queue' | 'cancel-new' | 'cancel-oldest'
}

export interface RateLimitDefinition {
  limit: number
  per: string
  key?: string
}

export interface RetryDefinition {
  maxAttempts?: number
  backoff?: 'fixed' | 'linear' | 'exponential'
  delay?: string
  maxDelay?: string
  jitter?: 'none' | 'full'
  on?: ErrorClass[]
  notOn?: ErrorClass[]
}

export interface Graph {
  nodes: { key: string; uses: string; level: number }[]
  edges: { from: string; to: string }[]
}
