import type { Pool } from '@millrace/postgres'
import { testLogger } from '@millrace/testkit'
import { createSchedulerPools, type SchedulerPools } from '../../src/db/pools.js'

/** The statement at which a scheduler loses its database for good, and whether that statement still reaches it. */
export interface Death {
  /** Some of its name or text. */
  statement: string
  nth: number
  committed: boolean
}

/** Pools of a scheduler that dies: from one statement on every call fails, as after a crash between two statements. */
export class MortalPools implements SchedulerPools {
  readonly pool: Pool
  readonly bulkPool: Pool
  readonly lazyPool: Pool
  dead = false
  private seen = 0
  private readonly real: SchedulerPools

  constructor(
    databaseUrl: string,
    private readonly death: Death,
  ) {
    this.real = createSchedulerPools(databaseUrl, 2, testLogger)
    this.pool = this.mortal(this.real.pool)
    this.bulkPool = this.mortal(this.real.bulkPool)
    this.lazyPool = this.mortal(this.real.lazyPool)
  }

  async end(): Promise<void> {
    this.dead = true
    await Promise.all([this.real.pool.end(), this.real.bulkPool.end(), this.real.lazyPool.end()])
  }

  private mortal(pool: Pool): Pool {
    const connect = async () => {
      if (this.dead) throw gone()
      return withInstead(await pool.connect(), (client) => ({ query: this.mortalQuery(client.query.bind(client)) }))
    }
    return withInstead(pool, () => ({ query: this.mortalQuery(pool.query.bind(pool)), connect }))
  }

  private mortalQuery(query: (...args: never[]) => unknown) {
    return async (...args: unknown[]) => {
      const [statement] = args as [{ name?: string; text: string } | string]
      const text = typeof statement === 'string' ? statement : `${statement.name}\n${statement.text}`
      const last = !this.dead && text.includes(this.death.statement) && ++this.seen === this.death.nth
      if (this.dead || (last && !this.death.committed)) {
        this.dead = true
        throw gone()
      }
      const result = await query(...(args as never[]))
      if (last) this.dead = true
      if (this.dead) throw gone()
      return result
    }
  }
}

/** The same object, but for these members. */
function withInstead<T extends object>(whole: T, membersOf: (whole: T) => Record<string, unknown>): T {
  const members = membersOf(whole)
  return new Proxy(whole, {
    get: (target, key) => {
      if (typeof key === 'string' && key in members) return members[key]
      const value = Reflect.get(target, key)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

const gone = () => Object.assign(new Error('the database is gone'), { code: '57P01' })
