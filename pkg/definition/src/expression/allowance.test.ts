import { expect, it } from 'vitest'
import { EvaluationDeferred, recordEvaluations, withAllowance } from './allowance.js'
import { stepsSpent } from './budget.js'
import type { Scope } from './scope.js'
import { compileTemplate } from './template.js'

const numbers = Array.from({ length: 5_000 }, (_, i) => i)
const options = { variables: new Set(['input', 'task']), isTask: () => false, taskKeys: () => [], allowSecrets: false }
const scope = (attempt: number): Scope => ({
  input: { numbers },
  tasks: {},
  run: { id: 'r' },
  task: { idempotencyKey: 'k', attempt },
})
const template = (source: string) => compileTemplate(`\${{ ${source} }}`, options, ['tasks', 'a', 'with']).template
const costly = template('input.numbers.map(x, x + task.attempt)')
const none = new Map()

it('an evaluation that does not fit is left for later, whatever it is in', () => {
  expect(() => withAllowance(1_000, none, () => costly.evaluate(scope(1)))).toThrow(EvaluationDeferred)
  const hidden = template('input.numbers.exists(x, x < 0) || false')
  expect(() => withAllowance(1_000, none, () => hidden.evaluate(scope(1)))).toThrow(EvaluationDeferred)
  expect(withAllowance(100_000, none, () => costly.evaluate(scope(1)))).toHaveLength(5_000)
})

it('several share what they may spend', () => {
  const both = () => [costly.evaluate(scope(1)), costly.evaluate(scope(2))]
  const before = stepsSpent()
  both()
  const needed = stepsSpent() - before
  expect(() => withAllowance(needed - 1, none, both)).toThrow(EvaluationDeferred)
  expect(withAllowance(needed, none, both)).toHaveLength(2)
})

it('what was evaluated elsewhere costs nothing, and is meant for one attempt alone', () => {
  const known = recordEvaluations({ steps: 1e6, bytes: 1e6 }, () => costly.evaluate(scope(1)))
  const moved = structuredClone(known)
  expect(withAllowance(0, moved, () => costly.evaluate(scope(1)))).toEqual(numbers.map((i) => i + 1))
  expect(() => withAllowance(0, moved, () => costly.evaluate(scope(2)))).toThrow(EvaluationDeferred)
})

it('a wrong expression is as wrong elsewhere', () => {
  const wrong = template('input.missing.field')
  const known = recordEvaluations({ steps: 1e6, bytes: 1e6 }, () => {
    try {
      wrong.evaluate(scope(1))
    } catch {
      // Recorded.
    }
  })
  expect(known.size).toBe(1)
  const messageOf = (fn: () => unknown): string => {
    try {
      fn()
      return 'none'
    } catch (error) {
      return (error as Error).message
    }
  }
  expect(messageOf(() => withAllowance(0, known, () => wrong.evaluate(scope(1))))).toBe(
    messageOf(() => wrong.evaluate(scope(1))),
  )
})

it('recording ends with the steps, or with the text', () => {
  const twice = () => [costly.evaluate(scope(1)), costly.evaluate(scope(2))]
  expect(recordEvaluations({ steps: 1_000, bytes: 1e6 }, twice).size).toBe(0)
  expect(recordEvaluations({ steps: 1e6, bytes: 10 }, twice).size).toBe(1)
})
