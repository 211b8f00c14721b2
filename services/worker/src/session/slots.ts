/** Executions shorter than this on average are worth having the next ones here before their slot is free. */
const SHORT_MS = 20
/** How much the latest execution counts in the average. */
const LATEST = 0.2
/** Before any execution: some twenty short ones make the average short. */
const UNKNOWN_MS = 1_000
/** An execution that lasts longer makes no room soon: nothing is to wait for its slot. */
const LONG_MS = 5 * SHORT_MS

/** A slot that an execution has. */
export interface OccupiedSlot {
  readonly since: number
}

/**
 * What may still be asked for: capacity less what executes, less what open calls may bring. While executions are short,
 * as many leases may wait as there are slots that short ones leave to each other, or workers and scheduler would work by
 * turns. Outlives sessions, since an executor of a lost session may still be letting go.
 */
export class Slots {
  /** Oldest first. */
  private readonly executing = new Set<OccupiedSlot>()
  private promised = 0
  private waiting = 0
  private averageMs = UNKNOWN_MS
  private idleWaiters: (() => void)[] = []

  constructor(readonly capacity: number) {}

  get busy(): number {
    return this.executing.size
  }

  get free(): number {
    return Math.max(0, this.capacity + this.ahead - this.busy - this.waiting - this.promised)
  }

  /** How many leases may wait for a slot. */
  private get ahead(): number {
    return this.averageMs < SHORT_MS ? this.capacity - this.countLong() : 0
  }

  private countLong(): number {
    const latest = performance.now() - LONG_MS
    let count = 0
    for (const { since } of this.executing) {
      if (since > latest) break
      count += 1
    }
    return count
  }

  /** A lease begins to wait for a slot; false when no more may. */
  beginWaiting(): boolean {
    if (this.waiting >= this.ahead) return false
    this.waiting += 1
    return true
  }

  endWaiting(): void {
    this.waiting -= 1
  }

  /** A lease waited for too long: whatever executions lasted until now, they are not short any more. */
  waitedTooLong(): void {
    this.averageMs = UNKNOWN_MS
  }

  /** Takes a slot for an execution, whatever calls are open; undefined when all are busy. */
  occupy(): OccupiedSlot | undefined {
    if (this.busy >= this.capacity) return undefined
    const slot = { since: performance.now() }
    this.executing.add(slot)
    return slot
  }

  vacate(slot: OccupiedSlot): void {
    this.averageMs += (performance.now() - slot.since - this.averageMs) * LATEST
    this.executing.delete(slot)
    if (this.busy === 0) for (const wake of this.idleWaiters.splice(0)) wake()
  }

  /** Reserves every free slot for one call and answers how many. */
  promiseAll(): number {
    const count = this.free
    this.promised += count
    return count
  }

  settle(count: number): void {
    this.promised -= count
  }

  /** Resolves true once nothing executes, false when the time is over first. */
  async idle(timeoutMs: number): Promise<boolean> {
    if (this.busy === 0) return true
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.idleWaiters.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })
    return this.busy === 0
  }
}
