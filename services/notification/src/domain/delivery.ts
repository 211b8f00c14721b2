import { nextDelayMs } from './retry-schedule.js'

export const DeliveryStatus = { Pending: 'pending', Delivered: 'delivered', Failed: 'failed' } as const
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus]

export const DeliveryKind = { Event: 'event', Test: 'test', Notice: 'notice', Digest: 'digest' } as const
export type DeliveryKind = (typeof DeliveryKind)[keyof typeof DeliveryKind]

/** What one try came to. */
export interface Attempt {
  ok: boolean
  at: Date
  statusCode: number | null
  latencyMs: number
  error: string | null
  responseSnippet: string | null
  retryAfterMs?: number | undefined
  /** The receiver said that it will never take another one (HTTP 410). */
  gone?: boolean | undefined
}

/** Of a digest whose items another one told of. */
export const nothingToSend = (at: Date): Attempt => ({
  ...{ ok: true, at, statusCode: null, latencyMs: 0, error: null, responseSnippet: null },
})

export type Outcome =
  | { status: 'delivered' }
  | { status: 'pending'; delayMs: number }
  | { status: 'failed'; reason: string }

export interface Tried {
  kind: DeliveryKind
  /** Tries of this round, this one included. */
  tries: number
  /** Nothing more is sent for a subscription that is disabled or deleted. */
  subscriptionEnded: string | undefined
}

export function decideOutcome(tried: Tried, attempt: Attempt, scheduleMs: readonly number[], random: number): Outcome {
  if (attempt.ok) return { status: 'delivered' }
  if (attempt.gone) return { status: 'failed', reason: 'endpoint_gone' }
  if (tried.kind === 'test') return { status: 'failed', reason: 'test_failed' }
  if (tried.subscriptionEnded !== undefined) return { status: 'failed', reason: tried.subscriptionEnded }
  const delayMs = nextDelayMs(scheduleMs, tried.tries, random, attempt.retryAfterMs)
  return delayMs === undefined ? { status: 'failed', reason: 'retries_exhausted' } : { status: 'pending', delayMs }
}

export interface SubscriptionState {
  enabled: boolean
  deleted: boolean
}

/** Why a delivery of this kind may not be sent any more, if so. A notice outlives everything; a test may try out a disabled one. */
export function endedReason(kind: DeliveryKind, subscription: SubscriptionState): string | undefined {
  if (kind === 'notice') return undefined
  if (subscription.deleted) return 'subscription_deleted'
  if (!subscription.enabled && kind !== 'test') return 'subscription_disabled'
  return undefined
}
