import { type Evaluations, recordEvaluations } from '@millrace/definition'
import type { Command } from './commands.js'
import { decide } from './decide.js'
import type { EnginePlan } from './engine-plan.js'
import { IllegalTransitionError } from './illegal-transition-error.js'
import { type ItemAttempt, readyItem } from './map-item.js'
import type { RunState } from './state.js'
import { NeedsExactState } from './transition.js'

/** A decision whose expressions take long, or items of a map that are to begin. Plain data: it goes to a thread. */
export interface CostlyWork {
  readonly state: RunState
  readonly command?: Command
  readonly items?: readonly ItemAttempt[]
}

/**
 * About a second of evaluating, and what one statement should hold. The expressions of one task take half of it at most,
 * so that each time at least one task more can begin.
 */
const allowed = { steps: 2_000_000, bytes: 4 * 1024 * 1024 }

/**
 * What the expressions give that a decision, or the items in order, will ask for. It is only looked up by what was asked:
 * should the run have moved meanwhile, whatever is missing then is evaluated then.
 */
export const evaluateAhead = (plan: EnginePlan, { state, command, items = [] }: CostlyWork): Evaluations =>
  recordEvaluations(allowed, () => {
    for (const item of items) readyItem(state, plan, item)
    if (command) tryDeciding({ ...state, exact: true }, command, plan)
  })

/** The state may be older than the command, and takes what is running for queued: some decisions cannot be made of it. */
function tryDeciding(state: RunState, command: Command, plan: EnginePlan): void {
  try {
    decide(state, [command], plan)
  } catch (error) {
    if (!(error instanceof NeedsExactState || error instanceof IllegalTransitionError)) throw error
  }
}
