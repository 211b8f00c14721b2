import { setTimeout as delay } from 'node:timers/promises'
import { type Pool, type Tx, withTransaction } from '@millrace/postgres'
import { retentionMetrics } from './metrics.js'

/** Twice as long as a slice took nothing is deleted, so that retention never has more than a third of one connection. */
const REST = 2
const MIN_REST_MS = 5
const MAX_REST_MS = 2000

/** Transactions one after another, each short, with rests between. */
export class Slices {
  private readonly stopping = new AbortController()

  constructor(private readonly pool: Pool) {}

  get stopped(): boolean {
    return this.stopping.signal.aborted
  }

  stop(): void {
    this.stopping.abort()
  }

  async run<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const began = performance.now()
    const result = await withTransaction(this.pool, work)
    const tookMs = performance.now() - began
    retentionMetrics.sliceSeconds.observe(tookMs / 1000)
    const restMs = Math.min(MAX_REST_MS, Math.max(MIN_REST_MS, REST * tookMs))
    await delay(restMs, undefined, { signal: this.stopping.signal }).catch(() => undefined)
    return result
  }
}
