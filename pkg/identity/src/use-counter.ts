interface Entry {
  uses: number
  readonly forgetAtMs: number
}

/** At about 120 bytes each. A minute of 3,000 requests a second fits. */
const MAX_ENTRIES = 200_000

/**
 * Counts how often each token was shown to this process. Memory is bounded: entries end with their token, and past the
 * bound the oldest are forgotten first, which leaves those tokens bound to their request but no longer to one use.
 */
export class UseCounter {
  private readonly entries = new Map<string, Entry>()

  constructor(private readonly maxEntries = MAX_ENTRIES) {}

  get size(): number {
    return this.entries.size
  }

  /** False when the token was used as often as allowed already. */
  take(id: string, forgetAtMs: number, allowed: number, nowMs = Date.now()): boolean {
    const known = this.entries.get(id)
    if (known) {
      known.uses += 1
      return known.uses <= allowed
    }
    this.forget(nowMs)
    this.entries.set(id, { uses: 1, forgetAtMs })
    return true
  }

  /** Tokens live equally long, so the first inserted are the first to end. Two for each one added keeps up. */
  private forget(nowMs: number): void {
    let looked = 0
    for (const [id, { forgetAtMs }] of this.entries) {
      if (this.entries.size < this.maxEntries && (forgetAtMs > nowMs || looked >= 2)) return
      this.entries.delete(id)
      looked += 1
    }
  }
}
