import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ModelRun, planOf } from './support/model-run.js'

const whens = ['all_success', 'all_done', 'any_success', 'any_failed', 'none_failed'] as const

/** A random graph without cycles: a task needs only tasks before it. */
const graph = fc
  .array(
    fc.record({
      needs: fc.array(fc.nat(100), { maxLength: 3 }),
      when: fc.constantFrom(...whens),
      maxAttempts: fc.integer({ min: 1, max: 3 }),
      onFailure: fc.constantFrom('stop', 'continue'),
      skip: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      map: fc.integer({ min: 0, max: 3 }).map((n) => n === 0),
    }),
    { minLength: 1, maxLength: 9 },
  )
  .map((specs) =>
    planOf(
      Object.fromEntries(
        specs.map((spec, i) => [
          `t${i}`,
          {
            ...(spec.map ? { uses: 'map', with: { items: [1, 2, 3], task: { uses: 'noop' } } } : { uses: 'noop' }),
            needs: i === 0 ? [] : [...new Set(spec.needs.map((need) => `t${need % i}`))],
            when: spec.when,
            onFailure: spec.onFailure,
            retry: { maxAttempts: spec.maxAttempts, delay: '1s' },
            ...(spec.skip ? { if: '${{ false }}' } : {}),
          },
        ]),
      ),
    ),
  )

type Step =
  | { act: 'lease' | 'lose' | 'succeed' | 'fail' | 'reject' | 'fire'; dequeue: number }
  | { act: 'repeat'; dequeue: number }
  | { act: 'end-map'; dequeue: number; failed: number }
  | { act: 'cancel' | 'advance' }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ act: fc.constant('lease' as const), dequeue: fc.nat(20) }) },
  {
    weight: 6,
    arbitrary: fc.record({ act: fc.constantFrom('succeed' as const, 'fail' as const), dequeue: fc.nat(20) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ act: fc.constantFrom('lose' as const, 'reject' as const), dequeue: fc.nat(20) }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('fire' as const), dequeue: fc.nat(20) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant('repeat' as const), dequeue: fc.nat(200) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      act: fc.constant('end-map' as const),
      dequeue: fc.nat(20),
      failed: fc.integer({ min: 0, max: 2 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ act: fc.constant('advance' as const) }) },
)

const at = <T>(items: readonly T[], dequeue: number): T | undefined => items[dequeue % Math.max(1, items.length)]

function play(run: ModelRun, move: Step): void {
  switch (move.act) {
    case 'lease': {
      const index = at(run.queued(), move.dequeue)
      if (index !== undefined) run.lease(index)
      return
    }
    case 'lose':
    case 'succeed':
    case 'fail':
    case 'reject': {
      const index = at(run.running(), move.dequeue)
      if (index === undefined) return
      if (move.act === 'lose') run.lose(index)
      else run.report(index, move.act === 'succeed', move.act !== 'reject')
      return
    }
    case 'fire': {
      const id = at([...run.timers.keys()], move.dequeue)
      if (id !== undefined) run.fire(id)
      return
    }
    case 'end-map': {
      const index = at([...run.groups.keys()], move.dequeue)
      if (index !== undefined) run.endMap(index, move.failed)
      return
    }
    case 'repeat': {
      // An old message arrives once more, out of order.
      const old = at(run.sent, move.dequeue)
      if (old && old.kind !== 'start') run.apply(old)
      return
    }
    case 'cancel':
      run.apply({ kind: 'cancel', reason: 'asked' })
      return
    case 'advance':
      run.apply({ kind: 'advance' })
  }
}

/** Everything that the engine's loops would do by themselves, until nothing is left to do. */
function settle(run: ModelRun): void {
  for (let i = 0; i < 500 && !run.ended; i += 1) {
    for (const index of run.queued()) run.lease(index)
    for (const index of run.running()) run.report(index, true)
    for (const index of [...run.groups.keys()]) run.endMap(index, 0)
    for (const id of [...run.timers.keys()]) run.fire(id)
  }
}

describe('decide', () => {
  test('any order, repetition or delay of commands gives one legal history, and every run ends', () => {
    fc.assert(
      fc.property(graph, fc.array(step, { maxLength: 60 }), (plan, steps) => {
        const run = new ModelRun(plan)
        for (const move of steps) play(run, move)
        settle(run)
        expect(run.ended).toBe(true)
        expect(run.completions).toBe(1)
        expect(run.timers.size).toBe(0)
      }),
      { numRuns: 2000 },
    )
  })

  test('a cancel at any moment ends the run cancelled, unless it had ended before', () => {
    fc.assert(
      fc.property(
        graph,
        fc.array(step, { maxLength: 40 }),
        fc.array(step, { maxLength: 10 }),
        (plan, before, after) => {
          const run = new ModelRun(plan)
          for (const move of before) play(run, move)
          const endedBefore = run.ended ? run.state.status : undefined
          play(run, { act: 'cancel' })
          for (const move of after) play(run, move)
          settle(run)
          expect(run.state.status).toBe(endedBefore ?? 'cancelled')
          expect(run.completions).toBe(1)
        },
      ),
      { numRuns: 1000 },
    )
  })

  test('a run fails exactly if a task failed whose failure stops it', () => {
    fc.assert(
      fc.property(graph, fc.array(step, { maxLength: 60 }), (plan, steps) => {
        const run = new ModelRun(plan)
        for (const move of steps) play(run, move)
        settle(run)
        const stopped = run.state.tasks.some(
          (task, i) => task.status === 'failed' && plan.tasks[i]?.onFailure === 'stop',
        )
        expect(run.state.status).toBe(stopped ? 'failed' : 'succeeded')
      }),
      { numRuns: 1000 },
    )
  })

  test('attempts never exceed what the policy allows', () => {
    fc.assert(
      fc.property(graph, fc.array(step, { maxLength: 80 }), (plan, steps) => {
        const run = new ModelRun(plan)
        for (const move of steps) play(run, move)
        settle(run)
        for (const task of run.state.tasks) expect(task.attempt).toBeLessThanOrEqual(task.maxAttempts)
      }),
      { numRuns: 500 },
    )
  })

  test('the same state and commands give the same decision', () => {
    const plan = planOf({ a: { uses: 'noop' }, b: { needs: ['a'], uses: 'noop' } })
    const one = new ModelRun(plan)
    const two = new ModelRun(plan)
    for (const run of [one, two]) {
      run.lease(0)
      run.report(0, true)
    }
    expect(one.history).toEqual(two.history)
  })
})

test('an attempt that fails before its lease may be followed by another, as its policy says', () => {
  const model = new ModelRun(
    planOf({
      a: {
        ...{ uses: 'noop', with: { output: '${{ input.missing.more }}' } },
        retry: { maxAttempts: 3, delay: '1s', on: ['expression'] },
      },
    }),
  )
  expect(model.state.tasks[0]).toMatchObject({ status: 'delayed', attempt: 1 })
  fireLast(model)
  expect(model.state.tasks[0]).toMatchObject({ status: 'delayed', attempt: 2 })
  fireLast(model)
  expect(model.state.tasks[0]).toMatchObject({ status: 'failed', attempt: 3 })
})

const fireLast = (model: ModelRun): void => model.fire([...model.timers.keys()].at(-1) ?? 0)
