import type { Requeued } from '../db/requeue-tasks.js'
import type { Commit, CommitCounts } from './announce.js'

/** What the return of leases to the queue changed. */
export function requeuedCommit({ lost, freed }: Requeued, why: NonNullable<CommitCounts['requeued']>['why']): Commit {
  const queued = lost.filter(({ queued_as: kind }) => kind !== null)
  return {
    changed: lost.map(({ run_id: runId }) => runId),
    queued: queued.length === 0 ? undefined : { limited: queued.some(({ queued_as: kind }) => kind === 'limited') },
    freed,
    counts: {
      requeued: { why, tasks: lost.length },
      silentSeconds: lost.flatMap(({ silent_s: silent }) => silent ?? []),
    },
  }
}
