import { ExpressionError } from './expression-error.js'
import type { SecretPlace } from './secret-place.js'

/** What an evaluation gave; plain data, so that it may come from another thread. */
export type Evaluation = { value: unknown; secrets: SecretPlace[] } | { problem: { code: string; message: string } }
export type Evaluations = ReadonlyMap<string, Evaluation>

/** The evaluations of one piece of work need more than it may spend: what is evaluated here is left for later. */
export class EvaluationDeferred extends Error {
  constructor() {
    super('the expressions need more than may be spent on them here')
    this.name = 'EvaluationDeferred'
  }
}

interface Work {
  steps: number
  bytes: number
  readonly known: Evaluations
  readonly record: Map<string, Evaluation> | undefined
}

// As with the budget of one evaluation: one piece of work at a time in a thread.
let work: Work | undefined

function within<T>(next: Work, fn: () => T): T {
  const outer = work
  work = next
  try {
    return fn()
  } finally {
    work = outer
  }
}

/**
 * Lets all evaluations of `fn` together take so many steps; one that would take more throws EvaluationDeferred. What is
 * `known` costs nothing.
 */
export const withAllowance = <T>(steps: number, known: Evaluations, fn: () => T): T =>
  within({ steps, bytes: Number.POSITIVE_INFINITY, known, record: undefined }, fn)

const nothing: Evaluations = new Map()

/** What the evaluations of `fn` gave, as far as they go with so many steps and so much text. */
export function recordEvaluations(allowed: { steps: number; bytes: number }, fn: () => unknown): Evaluations {
  const record = new Map<string, Evaluation>()
  try {
    within({ ...allowed, known: nothing, record }, fn)
  } catch (error) {
    if (!(error instanceof EvaluationDeferred)) throw error
  }
  return record
}

/** Called with every step of an evaluation. */
export function charge(steps: number): void {
  if (work === undefined) return
  work.steps -= steps
  if (work.steps < 0) throw new EvaluationDeferred()
}

/** Takes the result from what is known, or makes it and records it. `key` is asked for only where somebody uses it. */
export function evaluateOnce<T extends Exclude<Evaluation, { problem: unknown }>>(key: () => string, make: () => T): T {
  if (work === undefined || (work.known.size === 0 && work.record === undefined)) return make()
  const name = key()
  const found = work.known.get(name)
  if (found !== undefined) {
    if ('problem' in found) throw new ExpressionError(found.problem.code, found.problem.message)
    return found as T
  }
  if (work.bytes < 0) throw new EvaluationDeferred()
  try {
    const made = make()
    keep(work, name, made)
    return made
  } catch (error) {
    if (error instanceof ExpressionError) keep(work, name, { problem: { code: error.code, message: error.message } })
    throw error
  }
}

function keep({ record }: Work, name: string, evaluation: Evaluation): void {
  if (record === undefined || work === undefined) return
  record.set(name, evaluation)
  if ('value' in evaluation) work.bytes -= JSON.stringify(evaluation.value)?.length ?? 0
}
