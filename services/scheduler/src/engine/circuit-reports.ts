import { LRUCache } from 'lru-cache'
import type { OpenCircuit } from '../db/open-circuits.js'

const MAX_CIRCUITS = 100
const MAX_TEXT = 300
/** No circuit waits longer before it is tried. */
const MAX_WAIT_MS = 60_000

export interface ReportedCircuit {
  readonly uses: string
  readonly peer: string
  readonly retryAfterMs: number
}

/**
 * What workers say of peers that they do not call. Nearly all have none, and then nothing is written: only what follows
 * upon one that this replica wrote. Another replica's goes out of date by itself.
 */
export class CircuitReports {
  private readonly written = new LRUCache<string, true>({ max: 10_000 })

  constructor(
    private readonly save: (sessionId: string, circuits: OpenCircuit[]) => Promise<void>,
    private readonly wallMs: () => number,
  ) {}

  async record(sessionId: string, reported: readonly ReportedCircuit[]): Promise<void> {
    if (reported.length === 0 && !this.written.has(sessionId)) return
    await this.save(
      sessionId,
      reported.slice(0, MAX_CIRCUITS).map((one) => this.toCircuit(one)),
    )
    if (reported.length > 0) this.written.set(sessionId, true)
    else this.written.delete(sessionId)
  }

  private toCircuit({ uses, peer, retryAfterMs }: ReportedCircuit): OpenCircuit {
    const waitMs = Math.min(MAX_WAIT_MS, Math.max(0, retryAfterMs))
    return { uses: plain(uses), peer: plain(peer), retryAt: new Date(this.wallMs() + waitMs).toISOString() }
  }
}

const plain = (text: string): string => text.replace(/[^\x20-\x7e]/g, '').slice(0, MAX_TEXT)
