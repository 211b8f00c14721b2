import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from '@millrace/logger'
import type { TailOptions } from '../event-bus.js'
import { handleTail } from '../handle-tail.js'
import type { Topic } from '../topics.js'
import { LogCursor, type LogCursorOptions } from './log-cursor.js'
import { WakeSignal } from './wake-signal.js'

const retryMs = 250
/** Reads the log from now on: no group, no lock and no stored position, so that every process sees every event. */
export class LogTail<T extends Topic> {
  private readonly stopping = new AbortController()
  private readonly signal = new WakeSignal()
  private running: Promise<void> = Promise.resolve()

  constructor(private readonly options: TailOptions<T> & LogCursorOptions & { logger: Logger }) {}

  /** Resolves once every event that is committed from then on will be seen. */
  async start(): Promise<void> {
    const cursor = await LogCursor.atEnd(this.options)
    this.running = this.run(cursor)
  }

  wake(): void {
    this.signal.wake()
  }

  async stop(): Promise<void> {
    this.stopping.abort()
    this.signal.wake()
    await this.running
  }

  private async run(cursor: LogCursor): Promise<void> {
    const { logger, name } = this.options
    while (!this.stopping.signal.aborted) {
      try {
        const { events, more } = await cursor.next(1, this.stopping.signal)
        if (events.length > 0) await handleTail(events, this.options)
        if (!more) await this.signal.wait()
      } catch (error) {
        logger.warn({ err: error, tail: name }, 'the log of events could not be read; trying again')
        await delay(retryMs, undefined, { signal: this.stopping.signal }).catch(() => undefined)
      }
    }
  }
}
