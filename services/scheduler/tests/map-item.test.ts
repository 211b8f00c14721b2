import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { failure } from '../src/domain/failure.js'
import { readyItem, settleItem } from '../src/domain/map-item.js'
import { ModelRun, planOf } from './support/model-run.js'

const map = (task: object, more: object = {}) => ({ m: { uses: 'map', with: { items: [1], task }, ...more } })

function begin(task: object, item: unknown, more: { attempt?: number; map?: object; definition?: object } = {}) {
  const plan = planOf(map(task, more.map), more.definition)
  const { state } = new ModelRun(plan)
  const attempt = more.attempt ?? 1
  return readyItem(state, plan, { ordinal: 0, index: 7, item, attempt, maxAttempts: 3, random: 0.5 })
}

describe('a child of a map', () => {
  test('sees its item, its index, its run and its own task', () => {
    const value = '${{ [item, index, run.workflow, task.key, task.attempt] }}'
    const step = begin({ uses: 'noop', with: { output: value } }, { a: 1 }, { attempt: 2 })
    expect(step).toMatchObject({ status: 'queued', attempt: 2 })
    expect('input' in step && JSON.parse(step.input ?? '')).toEqual({ output: [{ a: 1 }, 7, 'model', 'm', 2] })
  })

  test('an item that is null is seen as null', () => {
    const step = begin({ uses: 'noop', with: { output: '${{ item == null }}' } }, null)
    expect(step).toMatchObject({ input: '{"output":true}' })
  })

  test('has nothing of its own where the definition says it all', () => {
    expect(begin({ uses: 'noop', with: { output: 1 } }, 1)).toEqual({ status: 'queued', attempt: 1, timers: [] })
  })

  test('keeps secrets as places', () => {
    const step = begin({ uses: 'http', with: { url: 'http://x/${{ item }}', body: '${{ secrets.key }}' } }, 'a')
    expect('input' in step && JSON.parse(step.input ?? '')).toEqual({
      input: { url: 'http://x/a', body: '${{ secrets.key }}' },
      secrets: [{ path: ['body'], at: 0, name: 'key' }],
    })
  })

  test('a wrong expression fails it, without another attempt unless its policy says so', () => {
    const broken = { uses: 'noop', with: { output: '${{ item.a.b }}' } }
    expect(begin(broken, 1)).toMatchObject({ status: 'failed', attempt: 1, error: { class: 'expression' } })
    const again = { ...broken, retry: { on: ['expression'] } }
    expect(begin(again, 1)).toMatchObject({ status: 'delayed', attempt: 1 })
    expect(begin(again, 1, { attempt: 3 })).toMatchObject({ status: 'failed', attempt: 3 })
  })

  test('a long sleep waits for its time, a short one for a worker', () => {
    const sleep = (duration: string) => ({ uses: 'sleep', with: { duration }, timeout: '1h', queueTimeout: '2m' })
    expect(begin(sleep('6s'), 1)).toMatchObject({
      status: 'waiting',
      timers: [
        { kind: 'wake', delayMs: 6000 },
        { kind: 'task-timeout', delayMs: 3_600_000 },
      ],
    })
    expect(begin(sleep('1s'), 1)).toMatchObject({
      status: 'queued',
      timers: [{ kind: 'queue-timeout', delayMs: 120_000 }],
    })
  })

  test('has from the map and the defaults what it does not say itself', () => {
    const plan = planOf(
      map(
        { uses: 'noop', retry: { delay: '3s' } },
        { queue: 'q', priority: 8, timeout: '1h', queueTimeout: '9s', retry: { maxAttempts: 7 } },
      ),
      { defaults: { timeout: '5s', totalTimeout: '1m', retry: { jitter: 'none' }, priority: 2 } },
    )
    expect(plan.tasks[0]).toMatchObject({ timeoutMs: 3_600_000, retry: { maxAttempts: 1 } })
    expect(plan.tasks[0]?.totalTimeoutMs).toBeUndefined()
    expect(plan.tasks[0]?.child).toMatchObject({
      uses: 'noop',
      queue: 'q',
      priority: 8,
      timeoutMs: 5000,
      queueTimeoutMs: 9000,
      totalTimeoutMs: 60_000,
      retry: { maxAttempts: 7, delayMs: 3000, jitter: 'none' },
    })
  })

  test('is tried exactly as often as its policy allows', () => {
    const { child } = planOf(map({ uses: 'noop' })).tasks[0] ?? {}
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.boolean(), fc.boolean(), (maxAttempts, retryable, final) => {
        const error = failure('x', 'x', retryable ? 'user' : 'validation', retryable)
        let attempt = 1
        while (settleItem(child, { attempt, maxAttempts, random: 0.3 }, error, { final }).status === 'delayed')
          attempt += 1
        expect(attempt).toBe(retryable && !final ? maxAttempts : 1)
      }),
    )
  })
})

describe('a map', () => {
  const run = (items: unknown, more: object = {}) =>
    new ModelRun(planOf({ m: { uses: 'map', with: { items, task: { uses: 'noop' }, ...more } } }))

  test.each([
    ['${{ 3 }}', {}, 'map_items'],
    ['${{ [1] }}', { maxParallel: '${{ 0 }}' }, 'map_max_parallel'],
    ['${{ [1] }}', { maxParallel: '${{ 1.5 }}' }, 'map_max_parallel'],
  ])('of %s, %j fails', (items, more, code) => {
    const { state } = run(items, more)
    expect(state.tasks[0]).toMatchObject({ status: 'failed', error: { code, class: 'validation' } })
    expect(state.status).toBe('failed')
  })

  test('an end of a round that is over means nothing', () => {
    const model = run([1, 2, 3])
    model.endMap(0, 1)
    expect(model.state.tasks[0]).toMatchObject({ status: 'failed', attempt: 1 })
    const old = model.sent.at(-1)
    if (!old) throw new Error('nothing was sent')
    expect(model.state.status).toBe('failed')
    const ended = model.history.length
    model.apply(old)
    expect(model.history.at(-1)).toEqual(model.history[ended - 1])
  })

  test('keeps the outputs of those that succeeded though it failed', () => {
    const plan = planOf({
      m: { uses: 'map', with: { items: [1, 2, 3], task: { uses: 'noop' } }, onFailure: 'continue' },
      n: { needs: ['m'], when: 'all_done', uses: 'noop', with: { output: '${{ tasks.m.output }}' } },
    })
    const model = new ModelRun(plan)
    model.endMap(0, 1)
    expect(model.state.tasks[0]).toMatchObject({ status: 'failed', output: [1, null, 1] })
    expect(model.state.tasks[1]?.status).toBe('queued')
  })
})
