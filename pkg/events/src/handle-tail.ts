import type { Logger } from '@millrace/logger'
import type { EventOf, RawEvent } from './cloud-event.js'
import { ContractError, decodeEvent } from './contract-check.js'
import type { TailOptions } from './event-bus.js'
import type { Topic } from './topics.js'

/** Hands decoded events to a tail's handler. A tail keeps nothing and repeats nothing, so what fails is logged and passed. */
export async function handleTail<T extends Topic>(
  raws: readonly RawEvent[],
  { name, handler, logger }: TailOptions<T> & { logger: Logger },
): Promise<void> {
  const events: EventOf<T>[] = []
  for (const raw of raws) {
    try {
      events.push(decodeEvent(raw as RawEvent & { topic: T }))
    } catch (error) {
      if (!(error instanceof ContractError)) throw error
      logger.debug({ err: error, tail: name, topic: raw.topic }, 'an event that breaks its contract was passed')
    }
  }
  if (events.length === 0) return
  try {
    await handler(events)
  } catch (error) {
    logger.warn(
      { err: error, tail: name, events: events.length },
      'the handler of a tail failed; its events are passed',
    )
  }
}
