import type { LeaseRow } from '../db/load-runs.js'
import { type LaneItem, type LaneOutcome, leaseOf } from './lane-item.js'

/** Whether a row is still running under exactly this lease. */
export function holds(row: LeaseRow | undefined, lease: { token: number; leaseId: string }): boolean {
  return row?.status === 'running' && row.token === lease.token && row.lease_id === lease.leaseId
}

/**
 * The answer to a report whose lease is over. Fencing clears the row's lease id, so a row that still carries it was
 * ended by this very lease: the report is a repeat of one that was accepted.
 */
export function verdictOf(item: LaneItem, row: LeaseRow | undefined): LaneOutcome {
  const ended = row !== undefined && row.status !== 'running'
  return ended && row.lease_id === leaseOf(item)?.lease.leaseId ? 'applied' : 'stale'
}
