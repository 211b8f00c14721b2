import { type EventBus, publisherOf, type Subscription } from '@millrace/events'
import type { AppContext } from '../context.js'
import { onTaskResults } from './task-results.js'

/** The reading of results from the broker. There is none where the log lies in Postgres: workers then report directly. */
export class ResultsFeed {
  private subscription: Subscription | undefined
  private opened: () => void = () => undefined
  private readonly open = new Promise<void>((resolve) => {
    this.opened = resolve
  })

  async start(bus: EventBus, ctx: AppContext): Promise<void> {
    if (publisherOf(bus) === undefined) return
    this.subscription = await bus.subscribe<'task.completed' | 'task.failed'>({
      group: 'scheduler-results',
      topics: ['task.completed', 'task.failed'],
      handler: onTaskResults(ctx),
    })
    this.opened()
  }

  /** Resolves once everything that lay in the broker when this was asked has been applied, by whichever replica. */
  async caughtUp(signal: AbortSignal): Promise<void> {
    await this.open
    await this.subscription?.caughtUp(signal)
  }

  async close(): Promise<void> {
    await this.subscription?.close()
  }
}
