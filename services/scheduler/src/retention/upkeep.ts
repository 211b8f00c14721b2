import type { Subscription } from '@millrace/events'
import { defaultRetention } from '../config.js'
import { onProjectDeleted } from '../consumers/project-deleted.js'
import { onRetentionChanged } from '../consumers/retention-changed.js'
import type { AppContext } from '../context.js'
import { Retention } from './retention.js'

/** Everything that deletes: what is to be kept how long, and the loop that goes by it. */
export class Upkeep {
  private readonly retention: Retention
  private readonly consumers: Subscription[] = []

  constructor(private readonly ctx: AppContext) {
    const { pools, logger, bus, config } = ctx
    const terms = config.retention ?? defaultRetention
    this.retention = new Retention({
      ...terms,
      pool: pools.bulkPool,
      logger,
      published: () => bus.hint(),
      cancel: (runId, reason) => ctx.engine.cancel(runId, reason),
    })
  }

  async start(): Promise<void> {
    const { bus, pool } = this.ctx
    this.consumers.push(
      await bus.subscribe({
        group: 'scheduler.retention',
        topics: ['retention.changed'],
        handler: onRetentionChanged(pool),
      }),
      await bus.subscribe({
        group: 'scheduler.projects',
        topics: ['project.deleted'],
        handler: onProjectDeleted(pool, () => this.retention.poke()),
      }),
    )
    this.retention.start()
  }

  async stop(): Promise<void> {
    await Promise.all(this.consumers.map((consumer) => consumer.close()))
    await this.retention.stop()
  }
}
