import type { LeaseRow } from '../db/load-runs.js'
import type { LeaseProof } from '../domain/commands.js'
import { leaseOf, type ShardItem, type ShardOutcome } from './shard-item.js'

const isFrom = (row: LeaseRow, lease: LeaseProof): boolean =>
  row.lease_id === lease.leaseId && (lease.sessionId === undefined || row.session_id === lease.sessionId)

/** Whether a row is still running under exactly this lease. */
export function holds(row: LeaseRow | undefined, lease: LeaseProof): boolean {
  return row?.status === 'running' && row.token === lease.token && isFrom(row, lease)
}

/**
 * The answer to a report whose lease is over. Fencing clears the row's lease id, so a row that still carries it was
 * ended by this very lease: the report is a repeat of one that was accepted.
 */
export function outcomeOf(item: ShardItem, row: LeaseRow | undefined): ShardOutcome {
  const lease = leaseOf(item)?.lease
  return row && lease && row.status !== 'running' && isFrom(row, lease) ? 'applied' : 'stale'
}
