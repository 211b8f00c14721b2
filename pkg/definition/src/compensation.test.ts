import { describe, expect, it } from 'vitest'
import { compilePlan } from './plan.js'
import { validateDefinition } from './validate.js'

const noop = { uses: 'noop' }
const undo = { compensate: noop }
const check = (tasks: object) => validateDefinition({ name: 'w', tasks }).errors.map((e) => `${e.path} ${e.code}`)

function planned(tasks: object) {
  const { definition } = validateDefinition({ name: 'w', tasks })
  if (!definition) throw new Error('the definition is not valid')
  return compilePlan(definition)
}

describe('compensations', () => {
  it('stand after all tasks, last first, and need those of the nearest tasks downstream', () => {
    const { tasks } = planned({
      a: { ...noop, ...undo },
      b: { needs: ['a'], ...noop },
      c: { needs: ['b'], ...noop, ...undo },
      d: { needs: ['a'], ...noop, ...undo },
      e: { needs: ['c', 'd'], ...noop, ...undo },
    })
    const needs = tasks.slice(5).map((t) => [t.key, t.compensates, t.needs.map((need) => tasks[need]?.key)])
    expect(needs).toEqual([
      ['e.compensate', 4, []],
      ['c.compensate', 2, ['e.compensate']],
      ['d.compensate', 3, ['e.compensate']],
      ['a.compensate', 0, ['c.compensate', 'd.compensate']],
    ])
    for (const task of tasks.slice(5)) expect(task).toMatchObject({ when: 'all_done', onFailure: 'continue' })
  })

  it('end at last, also where nobody executes them', () => {
    const limits = (more: object, compensate: object = noop) => {
      const { definition } = validateDefinition({ name: 'w', ...more, tasks: { a: { ...noop, compensate } } })
      return definition && compilePlan(definition).tasks.map(({ totalTimeoutMs }) => totalTimeoutMs)
    }
    expect(limits({})).toEqual([undefined, 86_400_000])
    expect(limits({}, { ...noop, totalTimeout: '1h' })).toEqual([undefined, 3_600_000])
    expect(limits({ defaults: { totalTimeout: '2h' } })).toEqual([7_200_000, 7_200_000])
  })

  it('see every task', () => {
    const compensate = { uses: 'noop', with: { output: '${{ [tasks.a.output, tasks.b.error] }}' } }
    expect(check({ a: { ...noop, compensate }, b: { needs: ['a'], ...noop } })).toEqual([])
  })

  it.each([
    [{ uses: 'noop', with: { output: '${{ tasks.x.output }}' } }, '/with/output unknown_task'],
    [{ uses: 'noop', with: { output: "${{ tasks['a.compensate'].output }}" } }, '/with/output unknown_task'],
    [{ uses: 'approval' }, '/uses not_in_compensation'],
    [{ uses: 'noop', timeout: '0s' }, '/timeout bad_duration'],
    [{ uses: 'noop', needs: ['b'] }, '/needs unknown_field'],
    [{ uses: 'noop', if: 'true' }, '/if unknown_field'],
    [{ uses: 'http' }, '/with required'],
    [{ with: {} }, '/uses required'],
  ])('%j is refused where it stands', (compensate, problem) => {
    expect(check({ a: { ...noop, compensate } })).toContain(`/tasks/a/compensate${problem}`)
  })

  it('count among the tasks', () => {
    const tasks = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`t${i}`, { ...noop, ...undo }]))
    expect(check(tasks)).toEqual(['/tasks too_many_tasks'])
  })
})
