import type { Lease } from '../executors/executor.js'
import type { Slots } from './slots.js'

/** After so long somebody else may have a slot sooner. */
const LONGEST_MS = 250

/** Leases that were granted before a slot was free, in order. They are handed back when their turn does not come soon. */
export class WaitingLeases {
  private readonly leases = new Map<string, { lease: Lease; since: number }>()
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly slots: Slots,
    private readonly onHandBack: (lease: Lease) => void,
  ) {}

  /** False: no more may wait. */
  add(lease: Lease): boolean {
    if (!this.slots.beginWaiting()) return false
    this.leases.set(lease.leaseId, { lease, since: performance.now() })
    this.watch()
    return true
  }

  /** The one that waits longest, which now has a slot. */
  next(): Lease | undefined {
    const [first] = this.leases.values()
    if (first) this.remove(first.lease.leaseId)
    return first?.lease
  }

  remove(leaseId: string): void {
    if (this.leases.delete(leaseId)) this.slots.endWaiting()
  }

  handBackAll(): void {
    for (const leaseId of [...this.leases.keys()]) this.handBack(leaseId)
  }

  /** The session is over: nobody waits for an answer. */
  clear(): void {
    for (const leaseId of [...this.leases.keys()]) this.remove(leaseId)
  }

  /** Undefined: it does not wait here. */
  take(leaseId: string): Lease | undefined {
    const entry = this.leases.get(leaseId)
    this.remove(leaseId)
    return entry?.lease
  }

  private handBack(leaseId: string): void {
    const lease = this.take(leaseId)
    if (lease) this.onHandBack(lease)
  }

  private watch(): void {
    const [first] = this.leases.values()
    if (this.timer !== undefined || !first) return
    this.timer = setTimeout(
      () => {
        this.timer = undefined
        const until = performance.now() - LONGEST_MS
        const late = [...this.leases].filter(([, { since }]) => since <= until)
        // Before they are handed back: the report that says so must not ask for them again.
        if (late.length > 0) this.slots.waitedTooLong()
        for (const [leaseId] of late) this.handBack(leaseId)
        this.watch()
      },
      Math.max(1, first.since + LONGEST_MS - performance.now()),
    )
    this.timer.unref()
  }
}
