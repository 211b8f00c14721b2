import type { Logger } from '@millrace/logger'
import type { Pool } from '@millrace/postgres'

const flushEveryMs = 500
/** Also an idle group shows that it lives, or retention would one day stop waiting for it. */
const touchEveryMs = 60_000

/** Stores the positions of all groups of a process together, lazily: a crash costs a redelivery, never an event. */
export class OffsetStore {
  private readonly dirty = new Map<string, number>()
  private readonly current = new Map<string, number>()
  private touchedAt = Date.now()
  private writing: Promise<void> = Promise.resolve()
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly pool: Pool,
    private readonly logger: Logger,
  ) {
    this.timer = setInterval(() => void this.flush(), flushEveryMs)
    this.timer.unref()
  }

  /** Registers a group. A new one starts with the oldest event kept. */
  async register(group: string): Promise<void> {
    await this.pool.query('insert into groups (name) values ($1) on conflict do nothing', [group])
  }

  async load(group: string): Promise<number> {
    await this.flush()
    const { rows } = await this.pool.query<{ position: number }>('select position from groups where name = $1', [group])
    const position = rows[0]?.position ?? 0
    this.current.set(group, position)
    return position
  }

  set(group: string, position: number): void {
    if (position <= (this.current.get(group) ?? 0)) return
    this.current.set(group, position)
    this.dirty.set(group, position)
  }

  get(group: string): number | undefined {
    return this.current.get(group)
  }

  /** The reader of the group is someone else now. */
  release(group: string): void {
    this.current.delete(group)
  }

  flush(): Promise<void> {
    this.writing = this.writing.then(() => this.write())
    return this.writing
  }

  async close(): Promise<void> {
    clearInterval(this.timer)
    await this.flush()
  }

  private async write(): Promise<void> {
    const touch = Date.now() - this.touchedAt > touchEveryMs
    const moved = new Map(touch ? this.current : this.dirty)
    if (moved.size === 0) return
    this.dirty.clear()
    if (touch) this.touchedAt = Date.now()
    try {
      // greatest(): a reader that lost its lock without knowing must not take a position back.
      await this.pool.query(
        `update groups g set position = greatest(g.position, moved.position), seen_at = now()
        from unnest($1::text[], $2::bigint[]) as moved (name, position) where g.name = moved.name`,
        [[...moved.keys()], [...moved.values()]],
      )
    } catch (error) {
      for (const [group, position] of moved) {
        this.dirty.set(group, Math.max(position, this.dirty.get(group) ?? 0))
      }
      this.logger.warn({ err: error }, 'event positions could not be stored; trying again')
    }
  }
}
