import { describe, expect, it } from 'vitest'
import { validateDefinition } from './validate.js'

const codes = (value: unknown) => validateDefinition(value).errors.map((e) => `${e.path} ${e.code}`)
const withTasks = (tasks: unknown, more: object = {}) => ({ name: 'w', tasks, ...more })
const noop = { uses: 'noop' }

describe('fields that cannot be there', () => {
  const input = {
    type: 'object',
    additionalProperties: false,
    properties: {
      id: { type: 'string' },
      order: { type: 'object', additionalProperties: false, properties: { total: {} } },
      open: { type: 'object', properties: { a: {} } },
    },
  }
  const at = (expression: string, schema: object = input) =>
    codes(
      withTasks(
        { a: noop, b: { needs: ['a'], uses: 'noop', with: { output: `\${{ ${expression} }}` } } },
        { input: schema },
      ),
    )
  const refused = ['/tasks/b/with/output unknown_field']

  it.each([
    'tasks.a.outputs',
    'tasks["a"].result.x',
    'task.a.output',
    'task.output',
    'task["a"]',
    'run.foo',
    'run["startedAt"]',
    'input.custmer',
    'input.order.totl',
    'input["order"].x',
  ])('refuses %s', (expression) => expect(at(expression)).toEqual(refused))

  it.each([
    ...[
      'task.key',
      'task.attempt',
      'task.idempotencyKey',
      'tasks.a.output',
      'tasks.a.output.x',
      'tasks.a.error.class',
      'tasks.a.status',
      'run.id',
      'run.labels.anything',
      'input.id',
      'input.order.total.anything',
    ],
    ...['input.open.b', 'has(input.custmer)', '[{"x": 1}].map(input, input.x)'],
  ])('takes %s', (expression) => expect(at(expression)).toEqual([]))

  it.each([
    [{ type: 'object', properties: {} }],
    [{ ...input, patternProperties: { '^c': {} } }],
    [{ ...input, anyOf: [{ required: ['id'] }] }],
  ])('takes any field where the schema leaves it open: %j', (schema) => expect(at('input.custmer', schema)).toEqual([]))

  it('says which fields there are', () => {
    const [error] = validateDefinition(withTasks({ a: noop }, { output: '${{ run.foo }}' })).errors
    expect(error?.message).toBe('run has no field foo; it has id, workflow, version, priority, labels, createdAt')
  })

  it('says which task may have been meant, and looks into keys, conditions and outputs too', () => {
    const [error] = validateDefinition(
      withTasks({ a: noop, b: { ...noop, with: { output: '${{ task.a.output }}' } } }),
    ).errors
    expect(error?.message).toBe('task has no field a; another task is tasks.a')
    const closed = { input, concurrency: { limit: 1, key: '${{ input.x }}' }, output: { o: '${{ input.x }}' } }
    expect(codes(withTasks({ a: { ...noop, if: '${{ input.x == 1 }}' } }, closed)).sort()).toEqual([
      '/concurrency/key unknown_field',
      '/output/o unknown_field',
      '/tasks/a/if unknown_field',
    ])
  })
})
