import { expect, it } from 'vitest'
import type { Definition } from './definition.js'
import { compilePlan } from './plan.js'
import { validateDefinition } from './validate.js'

const plan = (value: unknown) => {
  const { definition, errors } = validateDefinition(value)
  expect(errors).toEqual([])
  return compilePlan(JSON.parse(JSON.stringify(definition)) as Definition)
}

it('plans tasks with their edges, defaults and templates', () => {
  const made = plan({
    name: 'w',
    timeout: '1m',
    output: { total: `\${{ tasks.b.output.n * 2 }}` },
    defaults: { retry: { maxAttempts: 5, delay: '2m' }, timeout: '10s', queue: 'fast' },
    tasks: {
      a: { uses: 'noop', name: 'First' },
      b: {
        uses: 'transform',
        needs: ['a'],
        if: 'tasks.a.status == "succeeded"',
        with: { value: `\${{ tasks.a.output }}` },
        retry: { jitter: 'none' },
        timeout: '5s',
        onFailure: 'continue',
        when: 'all_done',
        priority: 9,
      },
      c: { uses: 'my.fn', needs: ['a', 'b'], with: { fixed: 1 } },
    },
  })
  expect(made.timeoutMs).toBe(60_000)
  expect(made.tasks.map((t) => [t.key, t.name, t.needs, t.dependents])).toEqual([
    ['a', 'First', [], [1, 2]],
    ['b', 'b', [0], [2]],
    ['c', 'c', [0, 1], []],
  ])
  const [a, b, c] = made.tasks
  expect(a).toMatchObject({
    when: 'all_success',
    timeoutMs: 10_000,
    queue: 'fast',
    onFailure: 'stop',
    retry: { maxAttempts: 5, delayMs: 120_000, maxDelayMs: 120_000, jitter: 'full' },
  })
  expect(a?.priority).toBeUndefined()
  expect(b).toMatchObject({
    when: 'all_done',
    timeoutMs: 5_000,
    onFailure: 'continue',
    priority: 9,
    retry: { maxAttempts: 5, jitter: 'none' },
  })
  expect(b?.with.references.tasks).toEqual(['a'])
  expect(c?.with.hasExpressions).toBe(false)
  const scope = {
    input: {},
    tasks: { a: { status: 'succeeded', output: [1] }, b: { status: 'succeeded', output: { n: 4 } } },
    run: {},
    task: {},
  }
  expect(b?.if?.evaluate(scope)).toBe(true)
  expect(b?.with.evaluate(scope)).toEqual({ value: [1] })
  expect(c?.with.evaluate(scope)).toEqual({ fixed: 1 })
  expect(made.output?.evaluate(scope)).toEqual({ total: 8 })
})

it('checks input by the schema of its version', () => {
  const made = plan({ name: 'w', input: { type: 'object', required: ['x'] }, tasks: { a: { uses: 'noop' } } })
  expect(made.validateInput({ x: 1 }, 'p')).toEqual([])
  expect(made.validateInput({}, 'p')).toMatchObject([{ path: '/input/x' }])
  expect(made.validateInput(JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`), 'p')).toMatchObject([
    { code: 'too_deep' },
  ])
})

it('refuses a definition that was never validated', () => {
  expect(() => compilePlan({ name: 'w', tasks: { a: { uses: 'noop', needs: ['b'] } } })).toThrow(/not validated/)
})
