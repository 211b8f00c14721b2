import { compilePlan, type RetryDefinition, retryPolicy, validateDefinition } from '@millrace/definition'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toEnginePlan } from './engine-plan.js'
import { defaultsForNewRun, type QueueDefaults, withQueueDefaults } from './queue-defaults.js'

function planOf(source: object) {
  const { definition, errors } = validateDefinition({ name: 'test', ...source })
  if (!definition) throw new Error(JSON.stringify(errors))
  return toEnginePlan(compilePlan(definition))
}

const retry: fc.Arbitrary<RetryDefinition> = fc.record(
  {
    maxAttempts: fc.integer({ min: 1, max: 9 }),
    backoff: fc.constantFrom('fixed' as const, 'linear' as const, 'exponential' as const),
    delay: fc.constantFrom('1s', '5s', '2m'),
    jitter: fc.constantFrom('none' as const, 'full' as const),
  },
  { requiredKeys: [] },
)
const someRetry = fc.option(retry, { nil: undefined })
const someTimeout = fc.option(fc.constantFrom('1s', '2s', '3s'), { nil: undefined })
const level = fc.record({ retry: someRetry, timeout: someTimeout })
const plain = (value: object) => JSON.parse(JSON.stringify(value))

describe("a queue's defaults", () => {
  test('task before workflow before queue before platform, field by field', () => {
    fc.assert(
      fc.property(level, level, level, (task, workflow, queue) => {
        const plan = planOf(plain({ defaults: workflow, tasks: { a: { uses: 'noop', ...task } } }))
        const defaults = defaultsForNewRun(plan, () => plain(queue) as QueueDefaults)
        const filled = withQueueDefaults(plan, defaults ?? '{}').tasks[0]
        const [own] = plan.tasks
        expect(filled?.retry).toEqual(retryPolicy({ ...queue.retry, ...workflow.retry, ...task.retry }))
        const timeout = task.timeout ?? workflow.timeout ?? queue.timeout
        expect(filled?.timeoutMs).toBe(timeout === undefined ? undefined : Number.parseInt(timeout, 10) * 1000)
        expect(withQueueDefaults(plan, '{}').tasks[0]).toEqual(own)
      }),
    )
  })

  test('are for its own tasks alone, and not for those that the engine holds itself', () => {
    const plan = planOf({
      tasks: {
        a: { uses: 'noop', queue: 'fast' },
        b: { uses: 'noop' },
        c: { uses: 'approval', queue: 'fast' },
        d: { uses: 'map', with: { items: [1], task: { uses: 'noop', queue: 'fast' } } },
      },
    })
    const defaults = defaultsForNewRun(plan, (queue) => (queue === 'fast' ? { timeout: '7s' } : undefined))
    expect(defaults).toBe('{"fast":{"timeout":"7s"}}')
    expect(withQueueDefaults(plan, defaults ?? '').tasks.map((task) => task.timeoutMs)).toEqual([
      7000,
      undefined,
      undefined,
      undefined,
    ])
    expect(withQueueDefaults(plan, defaults ?? '').tasks[3]?.child?.timeoutMs).toBe(7000)
    expect(defaultsForNewRun(plan, () => undefined)).toBeNull()
  })
})
