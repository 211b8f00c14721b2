import type { OutboxPage } from './outbox-sql.js'

/** Not worth a transaction of its own for fewer ids than this. */
const stepIds = 100

/**
 * The id below which the outbox is known to be empty of our parts for good. Without it every read would walk over the
 * index entries of all rows removed since the last vacuum. A transaction has its xid before it takes an id: ids up to a
 * head seen earlier belong to transactions below the next xid asked for later, and once all those have ended, what a read
 * does not show below that head will never be there. A snapshot's xmax does not bound them: it lies above the newest
 * transaction that has ended, and a newer one may already have taken an id.
 */
export class LowWaterMark {
  private reached = 0
  private pending: { head: number; next: bigint | undefined } | undefined

  constructor(private readonly step = stepIds) {}

  get value(): number {
    return this.reached
  }

  /** Whether the next look has to bring the bound of the xids given so far. */
  get needsNext(): boolean {
    return this.pending !== undefined && this.pending.next === undefined
  }

  /** A part was gained: its rows may lie anywhere. */
  reset(): void {
    this.reached = 0
    this.pending = undefined
  }

  looked({ rows, xmin, next, head }: OutboxPage): void {
    if (this.pending === undefined) {
      if (head >= this.reached + this.step) this.pending = { head, next: undefined }
    } else if (this.pending.next === undefined) {
      this.pending.next = next
    } else if (xmin >= this.pending.next) {
      const lowest = rows[0]?.id ?? Number.POSITIVE_INFINITY
      this.reached = Math.max(this.reached, Math.min(this.pending.head, lowest - 1))
      this.pending = undefined
    }
  }
}
