import { limits } from '@millrace/definition'
import type { EnginePlanTask } from './engine-plan.js'
import { type Failure, failure } from './failure.js'
import { settleFailure } from './settle.js'
import type { Transition } from './transition.js'

interface MapTerms {
  readonly items: readonly unknown[]
  readonly maxParallel: number
}

/** Opens a map: its children are made outside of the run, which hears of them again when the last has ended. */
export function beginMap(transition: Transition, plan: EnginePlanTask, attempt: number, input: string): void {
  const terms = readTerms(input)
  if ('code' in terms) {
    settleFailure(transition, plan.index, terms, 0, { attempt, final: true })
    return
  }
  transition.moveTask(plan.index, 'waiting', { attempt })
  const { items, maxParallel } = terms
  if (items.length === 0) {
    const named = transition.plan.namedOutputs.has(plan.index)
    transition.moveTask(plan.index, 'succeeded', { output: '[]', error: null, ...(named ? { parsedOutput: [] } : {}) })
    transition.dropTaskTimers(plan.index)
    return
  }
  if (plan.timeoutMs !== undefined) {
    transition.addTimer({ kind: 'task-timeout', taskIndex: plan.index, delayMs: plan.timeoutMs })
  }
  transition.changeMap(plan.index, { opened: { items: JSON.stringify(items), total: items.length, maxParallel } })
}

export const tooManyItems = (message: string): Failure => failure('too_many_items', message, 'validation')

/** Expressions may have given anything. */
function readTerms(input: string): MapTerms | Failure {
  const { items, maxParallel } = JSON.parse(input) as { items?: unknown; maxParallel?: unknown }
  if (!Array.isArray(items)) return failure('map_items', '`items` is not a list', 'validation')
  if (items.length > limits.mapItems) {
    return tooManyItems(`a map of ${items.length} items is over the limit of ${limits.mapItems}`)
  }
  if (maxParallel === undefined || maxParallel === null) return { items, maxParallel: limits.mapItems }
  if (typeof maxParallel !== 'number' || !Number.isInteger(maxParallel) || maxParallel < 1) {
    return failure('map_max_parallel', '`maxParallel` is not a whole number from 1 up', 'validation')
  }
  return { items, maxParallel: Math.min(maxParallel, limits.mapItems) }
}
