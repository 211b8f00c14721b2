import type { Logger } from '@millrace/logger'
import type { Queryable } from '@millrace/postgres'
import { appendEvents } from './append-events.js'
import type { AuditEntry } from './record-audit.js'
import { RefusalWindow, refusalBounds } from './refusal-window.js'

export interface RefusalLogOptions {
  pool: Queryable
  source: string
  logger: Logger
  /** Events were written. */
  hint: () => void
  windowMs?: number
}

const FLUSH_MS = 500
/** What waits while the database is away; more is lost, and said in the log. */
const MAX_WAITING = 2000

/** Audit entries of refused requests, written in the background: nobody who is refused waits for it, or makes others wait. */
export class RefusalLog {
  private window = new RefusalWindow()
  private waiting: AuditEntry[] = []
  private writing: Promise<void> | undefined
  private readonly timers: NodeJS.Timeout[]

  constructor(private readonly options: RefusalLogOptions) {
    const turn = setInterval(() => this.turn(), options.windowMs ?? refusalBounds.windowMs)
    const flush = setInterval(() => void this.flush(), FLUSH_MS)
    this.timers = [turn.unref(), flush.unref()]
  }

  note(entry: Omit<AuditEntry, 'action' | 'outcome'>): void {
    const first = this.window.note({ ...entry, action: 'access.denied', outcome: 'denied' })
    if (first) this.keep([first])
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) clearInterval(timer)
    this.turn()
    await this.writing
    await this.flush()
  }

  private turn(): void {
    const ended = this.window
    this.window = new RefusalWindow()
    this.keep(ended.end(this.options.source))
  }

  private keep(entries: readonly AuditEntry[]): void {
    this.waiting.push(...entries)
    const lost = this.waiting.length - MAX_WAITING
    if (lost <= 0) return
    this.waiting.splice(0, lost)
    this.options.logger.warn({ lost }, 'refusals were not recorded')
  }

  private flush(): Promise<void> {
    if (this.waiting.length === 0) return Promise.resolve()
    this.writing ??= this.write().finally(() => {
      this.writing = undefined
    })
    return this.writing
  }

  private async write(): Promise<void> {
    const { pool, source, logger, hint } = this.options
    const batch = this.waiting.splice(0)
    const events = batch.map((entry) => ({
      topic: 'audit.recorded' as const,
      key: entry.projectId === '' ? entry.actor : entry.projectId,
      subject: entry.target,
      data: { ...entry, outcome: 'denied' },
    }))
    try {
      await appendEvents(pool, source, events)
      hint()
    } catch (error) {
      this.waiting.unshift(...batch)
      logger.warn({ err: error }, 'refusals could not be recorded; trying again')
    }
  }
}
