import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from '@millrace/postgres'
import type { Topic } from '../topics.js'
import { HINT_CHANNEL } from './control-session.js'

/** A NOTIFY serialises with other commits, so under load one of them speaks for many hints. */
const minIntervalMs = 5

export interface HeardHint {
  sender: string
  /** Undefined stands for every topic. */
  topics: ReadonlySet<string> | undefined
}

export function readHint(payload: string): HeardHint {
  const [sender = '', topics = '*'] = payload.split(' ')
  return { sender, topics: topics === '*' ? undefined : new Set(topics.split(',')) }
}

export class HintSender {
  /** What the next NOTIFY speaks of. */
  private topics: Set<Topic> | 'all' = new Set()
  private dueAt = Number.POSITIVE_INFINITY
  private sending: Promise<void> | undefined
  private hurry: (() => void) | undefined

  constructor(
    private readonly pool: Pool,
    private readonly senderId: string,
  ) {}

  send(topics: readonly Topic[] | undefined, withinMs: number): void {
    if (topics === undefined) this.topics = 'all'
    else if (this.topics !== 'all') for (const topic of topics) this.topics.add(topic)
    const dueAt = performance.now() + withinMs
    if (dueAt < this.dueAt) {
      this.dueAt = dueAt
      this.hurry?.()
    }
    this.sending ??= this.run()
  }

  async close(): Promise<void> {
    this.dueAt = Math.min(this.dueAt, 0)
    this.hurry?.()
    await this.sending
  }

  private async run(): Promise<void> {
    while (this.dueAt !== Number.POSITIVE_INFINITY) {
      await this.untilDue()
      const payload = `${this.senderId} ${this.topics === 'all' ? '*' : [...this.topics].join(',')}`
      this.topics = new Set()
      this.dueAt = Number.POSITIVE_INFINITY
      const sql = { name: 'events-hint', text: 'select pg_notify($1, $2)', values: [HINT_CHANNEL, payload] }
      // A lost hint is made good by the poll.
      await this.pool.query(sql).catch(() => undefined)
      await delay(minIntervalMs)
    }
    // In the same tick as the last look at `dueAt`: a hint after it finds no sender and becomes one.
    this.sending = undefined
  }

  private async untilDue(): Promise<void> {
    for (let left = this.dueAt - performance.now(); left > 0; left = this.dueAt - performance.now()) {
      const hurried = new Promise<void>((resolve) => {
        this.hurry = resolve
      })
      await Promise.race([delay(left), hurried])
      this.hurry = undefined
    }
  }
}
