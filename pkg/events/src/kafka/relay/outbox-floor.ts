import type { OutboxPage } from './outbox-sql.js'

/**
 * The id below which the outbox is known to be empty of our parts for good. Without it every look would walk over the
 * index entries of all rows removed since the last vacuum. A transaction has its xid before it takes an id: ids up to a
 * head seen earlier belong to transactions older than a snapshot taken later, and once all those have ended, what a look
 * does not show below that head will never be there.
 */
export class OutboxFloor {
  private floor = 0
  private mark: { head: number; xmax: bigint | undefined } | undefined

  get value(): number {
    return this.floor
  }

  /** A part was gained: its rows may lie anywhere. */
  reset(): void {
    this.floor = 0
    this.mark = undefined
  }

  looked({ rows, xmin, xmax, head }: OutboxPage): void {
    if (this.mark === undefined) {
      this.mark = { head, xmax: undefined }
    } else if (this.mark.xmax === undefined) {
      this.mark.xmax = xmax
    }
    if (this.mark.xmax === undefined || xmin < this.mark.xmax) return
    const lowest = rows[0]?.id ?? Number.POSITIVE_INFINITY
    this.floor = Math.max(this.floor, Math.min(this.mark.head, lowest - 1))
    this.mark = { head, xmax: undefined }
  }
}
