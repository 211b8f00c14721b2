import { setTimeout as delay } from 'node:timers/promises'
import { isolateFaults } from '@millrace/batcher'
import { AppError, backoffMs } from '@millrace/errors'
import type { Logger } from '@millrace/logger'
import { retryable } from '@millrace/postgres'
import { SpanKind, withTraceparent } from '@millrace/telemetry'
import type { EventOf, RawEvent } from './cloud-event.js'
import { ContractError, decodeEvent } from './contract-check.js'
import { eventMetrics } from './metrics.js'
import type { Topic } from './topics.js'

export interface DeadLetter<R extends RawEvent> {
  raw: R
  reason: 'undecodable' | 'contract_broken' | 'handler_failed'
  detail: string
  tries: number
}

export interface DeliveryOptions<T extends Topic, R extends RawEvent> {
  group: string
  handler: (events: EventOf<T>[]) => Promise<void>
  /** Must be safe to repeat for the same event. */
  putAside: (letter: DeadLetter<R>) => Promise<void>
  logger: Logger
  /** Aborted when the reader stops: waiting ends, and what was not handled is delivered again later. */
  signal: AbortSignal
}

const maxTries = 3
const backoff = { firstMs: 100, maxMs: 5_000 }

class HandlerFailure extends Error {}

interface Decoded<T extends Topic, R> {
  raw: R
  event: EventOf<T>
}

/** Resolves once every event was handled or put aside. Rejects only when the signal is aborted. */
export async function deliver<T extends Topic, R extends RawEvent>(
  raws: readonly R[],
  options: DeliveryOptions<T, R>,
): Promise<void> {
  const decoded: Decoded<T, R>[] = []
  for (const raw of raws) {
    try {
      decoded.push({ raw, event: decodeEvent(raw as R & { topic: T }) })
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
      // Decoding is pure: trying it again could only give the same answer.
      await setAside({ raw, reason: 'contract_broken', detail: error.message, tries: 1 }, options)
    }
  }
  if (decoded.length === 0) return
  await isolateFaults<Decoded<T, R>, never>(decoded, {
    attempt: async (batch) => {
      const failure = await attempt(batch, options)
      if (failure) throw failure
      return []
    },
    isFault: (error) => error instanceof HandlerFailure,
    alone: async (single, failure) => {
      await retryOne(single, failure as HandlerFailure, options)
      return []
    },
  })
}

async function retryOne<T extends Topic, R extends RawEvent>(
  single: Decoded<T, R>,
  firstFailure: HandlerFailure,
  options: DeliveryOptions<T, R>,
): Promise<void> {
  let failure = firstFailure
  for (let tries = 1; tries < maxTries; tries += 1) {
    await delay(backoffMs(tries, backoff), undefined, { signal: options.signal })
    const again = await attempt([single], options)
    if (again === undefined) return
    failure = again
  }
  const detail = failure.cause instanceof Error ? failure.cause.message : String(failure.cause)
  await setAside({ raw: single.raw, reason: 'handler_failed', detail, tries: maxTries }, options)
}

/** Answers the failure of the handler or event itself; a dependency's failure is waited out here, uncounted. */
async function attempt<T extends Topic, R extends RawEvent>(
  batch: readonly Decoded<T, R>[],
  options: DeliveryOptions<T, R>,
): Promise<HandlerFailure | undefined> {
  const { group, handler } = options
  const events = batch.map(({ event }) => event)
  return await waitOutDependencies(options, async () => {
    try {
      const attributes = { 'messaging.consumer.group.name': group, 'messaging.batch.message_count': events.length }
      // One span a batch, in the trace of its first event; a handler that needs each event's own uses `withTraceparent`.
      await withTraceparent(
        events[0]?.traceparent,
        `consume ${group}`,
        attributes,
        () => handler(events),
        SpanKind.CONSUMER,
      )
      eventMetrics.handled.inc({ group }, events.length)
      return undefined
    } catch (error) {
      if (isDependencyFailure(error)) throw error
      eventMetrics.handlerFailures.inc({ group, kind: 'event' })
      options.logger.warn({ err: error, group, events: events.length }, 'an event handler failed')
      return new HandlerFailure('an event handler failed', { cause: error })
    }
  })
}

/** Waits until the letter is stored: what was not handled and not stored is never passed. */
export async function setAside<R extends RawEvent>(
  letter: DeadLetter<R>,
  options: Pick<DeliveryOptions<Topic, R>, 'group' | 'putAside' | 'logger' | 'signal'>,
): Promise<void> {
  const { group, logger } = options
  await waitOutDependencies(options, () => options.putAside(letter))
  eventMetrics.deadLettered.inc({ group, topic: letter.raw.topic })
  const { topic, eventId } = letter.raw
  logger.error({ group, topic, eventId, reason: letter.reason, detail: letter.detail }, 'an event was dead-lettered')
}

async function waitOutDependencies<O>(
  options: { group: string; logger: Logger; signal: AbortSignal },
  work: () => Promise<O>,
): Promise<O> {
  for (let failures = 1; ; failures += 1) {
    options.signal.throwIfAborted()
    try {
      return await work()
    } catch (error) {
      if (!isDependencyFailure(error)) throw error
      eventMetrics.handlerFailures.inc({ group: options.group, kind: 'dependency' })
      options.logger.warn({ err: error, group: options.group }, 'a dependency of an event handler is down; waiting')
      const waitMs = backoffMs(failures, { ...backoff, random: Math.random() })
      await delay(waitMs, undefined, { signal: options.signal })
    }
  }
}

/** The event is not to blame: the same call succeeds once something else is up again. */
export function isDependencyFailure(error: unknown): boolean {
  if (error instanceof AppError) return error.retryable
  if (error instanceof Error && error.name === 'TimeoutError') return true
  return retryable(error)
}
