import type { OperationName } from './model/operations.js'
import { Blocked, type OpenTransaction } from './sim-database.js'
import { Simulation } from './simulation.js'

export interface Recorded {
  readonly name: OperationName
  readonly args: readonly unknown[]
  readonly now: number
  /** Leases that the statement gave. */
  readonly leases: readonly { taskId: string; leaseId: string }[]
}

interface Answer {
  readonly leased?: readonly { taskId: string; leaseId: string }[]
}

/** Polls that found nothing make up most of a history; a few of each are enough. */
const ENOUGH = 12

const polls: ReadonlySet<OperationName> = new Set<OperationName>([
  'findTimers',
  'findExpiredTasks',
  'findInbox',
  'findCancelledLeases',
  'findStuckRuns',
  'findMapWork',
  'findUncountedMaps',
  'findWaitingRuns',
  'leaseTasks',
  'releaseDeferred',
  'readControl',
  'findDueWork',
  'restoreLostQueueRows',
  'removeDeadQueueRows',
  'reconcileSlots',
  'removeIdleSlots',
])

/** The statements of a seed in the order in which they took effect; a transaction's write stands at its commit. */
export async function recordSeed(seed: number, steps: number): Promise<Recorded[]> {
  const recorded: Recorded[] = []
  const counts = new Map<OperationName, number>()
  const record = (name: OperationName, args: readonly unknown[], now: number, result: unknown) => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    const quiet = polls.has(name) && (!result || (Array.isArray(result) && result.length === 0))
    if (recorded.length >= steps || (quiet && count > ENOUGH)) return
    const given = Array.isArray(result)
      ? (result as { taskId?: string; leaseId?: string }[])
      : (result as Answer)?.leased
    const leases = (given ?? []).flatMap(({ taskId, leaseId }) => (taskId && leaseId ? [{ taskId, leaseId }] : []))
    // Copied now: the engine goes on using its rows.
    recorded.push({ name, args: JSON.parse(JSON.stringify(args)) as unknown[], now, leases })
  }
  const tamper = ({ database, world }: Simulation) => {
    const { execute, executeIn, commit } = database
    const written = new Map<OpenTransaction, readonly unknown[]>()
    database.execute = (name, args, seen) => {
      // On both sides each statement begins where the one before it ended.
      const now = world.databaseMs
      const result = execute.call(database, name, args, null)
      void seen
      if (!(result instanceof Blocked)) record(name, args, now, result)
      return result
    }
    database.executeIn = (tx, name, args) => {
      if (name === 'writeLocked') written.set(tx, args)
      return executeIn.call(database, tx, name, args)
    }
    database.commit = (tx) => {
      const args = written.get(tx)
      if (args && !tx.ended) record('writeLocked', args, world.databaseMs, undefined)
      commit.call(database, tx)
    }
  }
  await new Simulation({ seed, tamper }).run()
  return recorded
}
