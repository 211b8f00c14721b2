import { limits } from '../limits.js'
import { charge } from './allowance.js'
import { ExpressionError } from './expression-error.js'

// An evaluation is synchronous and cannot be interrupted, so its work is counted instead: one evaluation runs at a time
// in a thread, hence the counter may live here. Counting costs one subtraction a call; a loop of 10,000 items whose body
// compares each with a 256 KiB value took 40 s without it.
let remaining = 0
let spent = 0

/** One step is half a microsecond of what was measured. */
export const stepsOf = (ns: number): number => Math.ceil(ns / 500)

export function withBudget<T>(steps: number, fn: () => T): T {
  const outer = remaining
  remaining = steps
  try {
    return fn()
  } finally {
    spent += steps - remaining
    remaining = outer
  }
}

/** Steps of all evaluations so far: whoever makes many of them sees by it when to let others in. */
export const stepsSpent = (): number => spent

export function spend(steps: number): void {
  remaining -= steps
  if (remaining < 0) {
    throw new ExpressionError(
      'expression_too_expensive',
      `the expression needs more than ${limits.evaluationSteps} steps`,
    )
  }
  charge(steps)
}

export function checkListSize(size: number): void {
  if (size > limits.listItems) {
    throw new ExpressionError('list_too_long', `a list of ${size} items is over the limit of ${limits.listItems}`)
  }
}
