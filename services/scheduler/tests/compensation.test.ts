import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { childRunId } from '../src/domain/child-run.js'
import type { Command } from '../src/domain/commands.js'
import { decide } from '../src/domain/decide.js'
import type { EnginePlan } from '../src/domain/engine-plan.js'
import { taskHasEnded } from '../src/domain/task-state.js'
import { ModelRun, newState, planOf } from './support/model-run.js'

const undo = { compensate: { uses: 'noop', retry: { maxAttempts: 1 } } }
const once = { uses: 'noop', retry: { maxAttempts: 1 } }

const order = () =>
  planOf({
    reserve: { ...once, ...undo },
    charge: { needs: ['reserve'], ...once, ...undo },
    note: { needs: ['charge'], ...once },
    ship: { needs: ['note'], ...once, ...undo },
  })

/** The task that this key names, taken by a worker that says how it went. */
function finish(run: ModelRun, key: string, succeeds: boolean): void {
  const index = run.plan.byKey.get(key) ?? -1
  run.lease(index)
  run.report(index, succeeds)
}

const waiting = (run: ModelRun): string[] => run.queued().map((index) => run.plan.tasks[index]?.key ?? '')
const statusOf = (run: ModelRun, key: string): string | undefined =>
  run.state.tasks[run.plan.byKey.get(key) ?? -1]?.status
const retry = (run: ModelRun, key?: string): void => {
  const task = key === undefined ? undefined : run.state.tasks[run.plan.byKey.get(key) ?? -1]
  run.apply({ kind: 'retry', ...(task ? { taskId: task.id } : {}) })
}

function failedOrder(): ModelRun {
  const run = new ModelRun(order())
  for (const key of ['reserve', 'charge', 'note']) finish(run, key, true)
  finish(run, 'ship', false)
  return run
}

describe('a run that fails', () => {
  test('undoes what succeeded, last first, and ends when that has ended', () => {
    const run = failedOrder()
    expect(run.state.status).toBe('running')
    expect(waiting(run)).toEqual(['charge.compensate'])
    expect(statusOf(run, 'ship.compensate')).toBe('skipped')
    finish(run, 'charge.compensate', true)
    expect(waiting(run)).toEqual(['reserve.compensate'])
    finish(run, 'reserve.compensate', true)
    expect(run.state).toMatchObject({ status: 'failed', reason: 'task_failed' })
    expect(run.completions).toBe(1)
  })

  test('undoes the rest where a compensation fails', () => {
    const run = failedOrder()
    finish(run, 'charge.compensate', false)
    expect(waiting(run)).toEqual(['reserve.compensate'])
    finish(run, 'reserve.compensate', true)
    expect(run.state).toMatchObject({ status: 'failed', reason: 'task_failed' })
  })

  test.each(['cancel', 'run-timeout'] as const)('goes on undoing through a %s', (kind) => {
    const run = failedOrder()
    run.apply(kind === 'cancel' ? { kind, reason: 'asked' } : { kind, timerId: 0 })
    expect(run.state.status).toBe('running')
    finish(run, 'charge.compensate', true)
    finish(run, 'reserve.compensate', true)
    expect(run.state).toMatchObject({ status: 'failed', reason: 'task_failed' })
  })

  test('undoes nothing while a task that accepts the failure is open', () => {
    const run = new ModelRun(
      planOf({ a: { ...once, ...undo }, b: { needs: ['a'], ...once }, c: { needs: ['b'], when: 'all_done', ...once } }),
    )
    finish(run, 'a', true)
    finish(run, 'b', false)
    expect(waiting(run)).toEqual(['c'])
    finish(run, 'c', true)
    expect(waiting(run)).toEqual(['a.compensate'])
  })

  test('undoes what is downstream first also where a task between them has nothing to undo', () => {
    const run = new ModelRun(
      planOf({
        a: { ...once, ...undo },
        b: { needs: ['a'], ...once, ...undo },
        c: { needs: ['b'], when: 'all_done', ...once, ...undo },
      }),
    )
    finish(run, 'a', true)
    finish(run, 'b', false)
    finish(run, 'c', true)
    expect(waiting(run)).toEqual(['c.compensate'])
    finish(run, 'c.compensate', true)
    expect(waiting(run)).toEqual(['a.compensate'])
    expect(statusOf(run, 'b.compensate')).toBe('skipped')
  })

  test('of its output alone undoes everything', () => {
    const run = new ModelRun(planOf({ a: { ...once, ...undo } }, { output: '${{ tasks.a.output.missing }}' }))
    finish(run, 'a', true)
    expect(waiting(run)).toEqual(['a.compensate'])
    finish(run, 'a.compensate', true)
    expect(run.state).toMatchObject({ status: 'failed', reason: 'output' })
  })

  test('waits while it is paused, and goes on when it is resumed', () => {
    const run = failedOrder()
    run.apply({ kind: 'pause' })
    run.apply({ kind: 'resume' })
    finish(run, 'charge.compensate', true)
    finish(run, 'reserve.compensate', true)
    expect(run.state.status).toBe('failed')
  })
})

test('a run that succeeds undoes nothing', () => {
  const run = new ModelRun(order())
  for (const key of ['reserve', 'charge', 'note', 'ship']) finish(run, key, true)
  expect(run.state.status).toBe('succeeded')
  expect(run.state.tasks.slice(4).map(({ status }) => status)).toEqual(['skipped', 'skipped', 'skipped'])
})

describe('a run that is stopped', () => {
  test.each([
    ['cancel', 'cancelled', 'asked'],
    ['run-timeout', 'failed', 'timeout'],
  ] as const)('by a %s stays `cancelling` until all is undone', (kind, status, reason) => {
    const run = new ModelRun(order())
    finish(run, 'reserve', true)
    run.lease(1)
    run.apply(kind === 'cancel' ? { kind, reason } : { kind, timerId: 0 })
    run.report(1, true)
    expect(statusOf(run, 'charge')).toBe('cancelled')
    expect(run.state.status).toBe('cancelling')
    expect(waiting(run)).toEqual(['reserve.compensate'])
    run.lease(run.plan.byKey.get('reserve.compensate') ?? -1)
    // The time that the tasks had to stop is over; compensations are not asked to.
    for (const id of [...run.timers.keys()]) run.fire(id)
    run.report(run.plan.byKey.get('reserve.compensate') ?? -1, true)
    expect(statusOf(run, 'reserve.compensate')).toBe('succeeded')
    expect(run.state).toMatchObject({ status, reason })
  })

  test('before it began ends at once', () => {
    const run = new ModelRun(order())
    run.apply({ kind: 'cancel', reason: 'asked' })
    expect(run.state.status).toBe('cancelled')
  })

  test.each([
    ['cancel', 'cancelled', 'asked'],
    ['run-timeout', 'failed', 'timeout'],
  ] as const)('by a %s ends the same once a compensation was retried', (kind, status, reason) => {
    const run = new ModelRun(order())
    finish(run, 'reserve', true)
    run.apply(kind === 'cancel' ? { kind, reason } : { kind, timerId: 0 })
    finish(run, 'reserve.compensate', false)
    expect(run.state).toMatchObject({ status, reason })
    retry(run, 'reserve.compensate')
    expect(run.state.status).toBe('running')
    run.apply({ kind: 'pause' })
    run.apply({ kind: 'resume' })
    finish(run, 'reserve.compensate', true)
    expect(run.state).toMatchObject({ status, reason })
    expect(run.completions).toBe(2)
  })
})

describe('a retry', () => {
  test('of a run in which nothing was undone makes its compensations possible again', () => {
    const run = new ModelRun(order())
    finish(run, 'reserve', false)
    expect(run.state.status).toBe('failed')
    retry(run)
    finish(run, 'reserve', true)
    finish(run, 'charge', false)
    expect(waiting(run)).toEqual(['reserve.compensate'])
  })

  test('of a run in which something was undone retries compensations alone', () => {
    const run = failedOrder()
    finish(run, 'charge.compensate', false)
    finish(run, 'reserve.compensate', true)
    retry(run, 'ship')
    expect(run.state.status).toBe('failed')
    retry(run)
    expect(waiting(run)).toEqual(['charge.compensate'])
    expect(statusOf(run, 'ship')).toBe('failed')
    finish(run, 'charge.compensate', true)
    expect(run.state).toMatchObject({ status: 'failed', reason: 'task_failed' })
    retry(run)
    expect(run.state.status).toBe('failed')
  })

  test('of a compensation may come while others run', () => {
    const run = failedOrder()
    finish(run, 'charge.compensate', false)
    retry(run, 'charge.compensate')
    expect(waiting(run).sort()).toEqual(['charge.compensate', 'reserve.compensate'])
  })
})

test.each([
  ['fails', 2],
  ['succeeds', 0],
])('a map that %s is undone: some of its items may have succeeded', (_, failed) => {
  const items = { uses: 'map', with: { items: [1, 2, 3], task: { uses: 'noop' } }, ...undo }
  const run = new ModelRun(planOf({ m: items, last: { needs: ['m'], when: 'all_done', ...once } }))
  run.endMap(0, failed)
  finish(run, 'last', false)
  expect(waiting(run)).toEqual(['m.compensate'])
})

const graph = fc
  .array(
    fc.record({
      needs: fc.array(fc.nat(100), { maxLength: 3 }),
      undone: fc.boolean(),
      when: fc.constantFrom('all_success', 'all_done', 'any_failed', 'none_failed'),
      onFailure: fc.constantFrom('stop', 'continue'),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((specs) =>
    planOf(
      Object.fromEntries(
        specs.map(({ needs, undone, ...rest }, i) => [
          `t${i}`,
          {
            ...once,
            ...rest,
            needs: i === 0 ? [] : [...new Set(needs.map((need) => `t${need % i}`))],
            ...(undone ? undo : {}),
          },
        ]),
      ),
    ),
  )

/** Tasks before which `index` had to end, through whatever chain. */
function downstream(plan: EnginePlan, index: number): Set<number> {
  const found = new Set(plan.tasks[index]?.dependents)
  for (const other of found) for (const next of plan.tasks[other]?.dependents ?? []) found.add(next)
  return found
}

test('whatever fails, and whenever it is cancelled: all that succeeded is undone after what needed it, nothing else', () => {
  fc.assert(
    fc.property(graph, fc.array(fc.nat(9), { maxLength: 40 }), fc.nat(12), (plan, dice, cancelAt) => {
      const run = new ModelRun(plan)
      const undone: number[] = []
      for (let step = 0; step < 100 && !run.ended; step += 1) {
        if (step === cancelAt) run.apply({ kind: 'cancel', reason: 'asked' })
        const ready = run.queued()
        const index = ready[(dice[step] ?? 0) % Math.max(1, ready.length)]
        if (index === undefined) for (const id of [...run.timers.keys()]) run.fire(id)
        else {
          run.lease(index)
          run.report(index, (dice[step] ?? 1) !== 0)
          const owner = plan.tasks[index]?.compensates
          if (owner !== undefined) undone.push(owner)
        }
      }
      expect(run.ended).toBe(true)
      const due = plan.tasks.flatMap(({ compensates }) =>
        compensates !== undefined && run.state.tasks[compensates]?.status === 'succeeded' ? [compensates] : [],
      )
      expect([...undone].sort()).toEqual(run.state.status === 'succeeded' ? [] : due.sort())
      undone.forEach((owner, place) => {
        const after = downstream(plan, owner)
        expect(undone.slice(place + 1).filter((later) => after.has(later))).toEqual([])
      })
      expect(run.state.tasks.every(({ status }) => taskHasEnded(status))).toBe(true)
    }),
    { numRuns: 1000 },
  )
})

describe('a cancelled run that waits for another run', () => {
  const childOf = (run: ModelRun): string => childRunId(run.state.tasks[0]?.id ?? '', 1)
  const ended = (run: ModelRun, status: 'succeeded' | 'failed' | 'cancelled'): Command => ({
    kind: 'child-ended',
    taskId: run.state.tasks[0]?.id ?? '',
    attempt: 1,
    childRunId: childOf(run),
    workflow: 'other',
    status,
    output: status === 'succeeded' ? '7' : null,
    error: null,
    random: 0,
  })
  function cancelled(): ModelRun {
    const run = new ModelRun(planOf({ sub: { uses: 'workflow', with: { name: 'other' }, ...undo } }))
    run.state = { ...run.state, openChildren: new Set([childOf(run)]) }
    run.apply({ kind: 'cancel', reason: 'asked' })
    return run
  }

  test.each(['failed', 'cancelled'] as const)('ends when that has %s, and undoes nothing for it', (status) => {
    const run = cancelled()
    expect([run.state.status, statusOf(run, 'sub')]).toEqual(['cancelling', 'waiting'])
    run.apply({ kind: 'cancel-deadline', timerId: 0 })
    expect([run.state.status, statusOf(run, 'sub')]).toEqual(['cancelling', 'waiting'])
    run.apply(ended(run, status))
    expect([run.state.status, statusOf(run, 'sub')]).toEqual(['cancelled', 'cancelled'])
    expect(statusOf(run, 'sub.compensate')).toBe('skipped')
  })

  test('undoes what that did, if it succeeded all the same', () => {
    const run = cancelled()
    run.apply(ended(run, 'succeeded'))
    expect([run.state.status, statusOf(run, 'sub')]).toEqual(['cancelling', 'succeeded'])
    finish(run, 'sub.compensate', true)
    expect(run.state.status).toBe('cancelled')
  })

  test('ends at once where that has not begun', () => {
    const run = new ModelRun(planOf({ sub: { uses: 'workflow', with: { name: 'other' }, ...undo } }))
    run.apply({ kind: 'cancel', reason: 'asked' })
    expect([run.state.status, statusOf(run, 'sub')]).toEqual(['cancelled', 'cancelled'])
  })
})

// Found by the simulation, seed 4072: such a run was queued for ever.
test('a run of which everything is taken over, paused while it waits for its limit, begins once it is resumed', () => {
  const plan = planOf({ a: { ...once, ...undo } }, { concurrency: { limit: 1, onLimit: 'queue' } })
  const reused = [{ index: 0, taskId: 'of-another-run', attempt: 1, maxAttempts: 1 }]
  const commands: Command[] = [{ kind: 'start', reused }, { kind: 'pause' }, { kind: 'resume' }]
  const { state, effects } = decide(newState(plan), commands, plan)
  expect(state.status).toBe('queued')
  expect(effects.admissionChange.entering).toMatchObject({ limit: 1 })
})
