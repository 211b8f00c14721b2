import { EvaluationDeferred, type Evaluations, stepsSpent, withAllowance } from '@millrace/definition'
import type { Outcomes, Pending, ShardItem } from './shard-item.js'

/** About 50 ms for a whole batch, 10 ms for a decision, and a quarter of a millisecond for each even when that is spent. */
const stepsOfBatch = 100_000
const stepsOfDecision = 20_000
const stepsAlways = 500

/** What the expressions of one batch may take of the thread that decides for everybody. */
export class EvaluationBudget {
  private left = stepsOfBatch

  /** Throws EvaluationDeferred where `decide` does not put off by itself what goes beyond. */
  spend<T>(items: readonly ShardItem[], decide: () => T): T {
    const before = stepsSpent()
    try {
      return withAllowance(Math.max(stepsAlways, Math.min(stepsOfDecision, this.left)), knownOf(items), decide)
    } finally {
      this.left -= stepsSpent() - before
    }
  }
}

export const isDeferred = (error: unknown): boolean => error instanceof EvaluationDeferred

/**
 * Sends those away whose expressions are evaluated elsewhere, and gives the others: reports and new runs stand in batches
 * that others wait for, and put off by themselves what takes long.
 */
export function defer(group: readonly Pending[], outcomes: Outcomes): Pending[] {
  const waitedFor = group.filter(({ item }) => item.report ?? item.newRun)
  const away = waitedFor.length < group.length ? group.filter((entry) => !waitedFor.includes(entry)) : group
  for (const { position } of away) outcomes[position] = 'deferred'
  return away === group ? [] : waitedFor
}

function knownOf(items: readonly ShardItem[]): Evaluations {
  const [first, ...others] = items.flatMap(({ evaluations }) => evaluations ?? [])
  if (!first || others.length === 0) return first ?? none
  return new Map([first, ...others].flatMap((evaluations) => [...evaluations]))
}

const none: Evaluations = new Map()
