import type { Db } from 'mongodb'

const REFRESH_MS = 30_000

/**
 * Microseconds of the server's clock, so that the writers of all replicas number lines alike; never the same twice here.
 * Between two questions the process's own monotonic time is added.
 */
export class ArrivalClock {
  private asked: { server: number; own: number } | undefined
  private last = 0

  constructor(private readonly db: Db) {}

  async now(): Promise<number> {
    if (this.asked === undefined || performance.now() - this.asked.own > REFRESH_MS) {
      const { localTime } = await this.db.command({ hello: 1 })
      this.asked = { server: (localTime as Date).getTime(), own: performance.now() }
    }
    return Math.trunc((this.asked.server + performance.now() - this.asked.own) * 1_000)
  }

  /** `count` numbers that no earlier call was given, ascending. */
  async take(count: number): Promise<number[]> {
    const first = Math.max(await this.now(), this.last + 1)
    this.last = first + count - 1
    return Array.from({ length: count }, (_, i) => first + i)
  }
}
