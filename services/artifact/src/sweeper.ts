import { recordAudit } from '@millrace/events'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from './context.js'
import { deleteExpired } from './db/delete-artifact.js'
import { dueObjects, forgetObject } from './db/object-trash.js'
import { SOURCE } from './source.js'
import { artifactMetrics } from './telemetry.js'

const sliceSize = 200

/** Retention, forgotten uploads and trash. Every step may be repeated, and several replicas may sweep at once. */
export class Sweeper {
  private timer: NodeJS.Timeout | undefined
  private sweeping: Promise<void> | undefined
  private again = false
  private stopped = false

  constructor(private readonly ctx: AppContext) {}

  start(): void {
    this.timer = setInterval(() => this.trigger(), this.ctx.limits.sweepMs)
    this.timer.unref()
    this.trigger()
  }

  trigger(): void {
    if (this.stopped) return
    this.again = true
    this.sweeping ??= this.run()
  }

  async stop(): Promise<void> {
    this.stopped = true
    clearInterval(this.timer)
    await this.sweeping
  }

  private async run(): Promise<void> {
    while (this.again && !this.stopped) {
      this.again = false
      try {
        await this.expire()
        await this.emptyTrash()
      } catch (error) {
        this.ctx.logger.warn({ err: error }, 'the sweep of artifacts failed; trying again later')
      }
    }
    // In the same tick as the last look at `again`: a trigger after it finds no sweep and begins one.
    this.sweeping = undefined
  }

  private async expire(): Promise<void> {
    const { pool, limits, bus } = this.ctx
    while (!this.stopped) {
      const expired = await withTransaction(pool, async (tx) => {
        const deleted = await deleteExpired(tx, limits, sliceSize)
        for (const { id, projectId } of deleted) {
          const entry = { projectId, actor: 'service:artifact', action: 'artifact.expired', target: `artifact:${id}` }
          await recordAudit(tx, SOURCE, { ...entry, ip: '', requestId: '' })
        }
        return deleted.length
      })
      artifactMetrics.expired.inc(expired)
      if (expired > 0) bus.hint()
      if (expired < sliceSize) return
    }
  }

  private async emptyTrash(): Promise<void> {
    const { pool, store } = this.ctx
    while (!this.stopped) {
      const keys = await dueObjects(pool, sliceSize)
      for (const key of keys) {
        await store.delete(key)
        await forgetObject(pool, key)
      }
      if (keys.length < sliceSize) return
    }
  }
}
