import type { LeasedRow } from '../db/lease-fragment.js'
import type { EnginePlan } from '../domain/engine-plan.js'
import type { EngineContext } from './engine-context.js'
import { leaseFromRow } from './lease.js'
import type { LongPoll } from './long-polls.js'

/** Turns rows into leases for the worker; a lease whose plan cannot be had goes back to the queue. */
export async function deliverLeases(
  engine: EngineContext,
  poll: LongPoll,
  leased: readonly LeasedRow[],
): Promise<void> {
  if (leased.length === 0) return
  let plans: Map<string, EnginePlan>
  try {
    plans = await engine.plans.getAll(leased.map((row) => row.versionId))
  } catch (error) {
    engine.logger.warn({ err: error }, 'leases handed back: their definition cannot be read now')
    await engine.handBack(leased)
    return
  }
  for (const row of leased) {
    const plan = plans.get(row.versionId)
    if (plan) engine.polls.deliver(poll, leaseFromRow(row, plan))
  }
  engine.announce({ changed: leased.map((row) => row.runId) })
}
