import { describe, expect, test } from 'vitest'
import { decideItem } from '../src/domain/decide-item.js'
import { failure } from '../src/domain/failure.js'
import type { ItemState } from '../src/domain/map-item.js'
import { taskTransitions } from '../src/domain/task-state.js'
import { ModelRun, planOf } from './support/model-run.js'

const plan = planOf({
  m: { uses: 'map', with: { items: [1], task: { uses: 'noop', retry: { maxAttempts: 3, delay: '1s' } } } },
})
const { state } = new ModelRun(plan)
const facts = { state, plan, random: 0.5, value: 1 }
const lease = { token: 1, leaseId: 'l' }
const error = failure('x', 'x', 'user', true)

const item = (more: Partial<ItemState> = {}): ItemState => ({
  ...{ id: 'i', runId: 'run', ordinal: 0, index: 0, status: 'running', attempt: 1, maxAttempts: 3, error: null },
  ...{ ending: null, paused: false, closed: false, late: false, ...more },
})

const succeed = { kind: 'succeed', taskId: 'i', lease, output: '1' } as const
const end = { kind: 'end-item', taskId: 'i' } as const
const fail = { kind: 'fail', taskId: 'i', lease, error, random: 0.5 } as const

describe('what becomes of a map item', () => {
  test('succeeds under its lease, in a map that stands as it was taken to', () => {
    const decision = decideItem(item(), succeed, facts)
    expect(decision).toMatchObject({ status: 'succeeded', output: '1', guard: lease })
    expect(decision?.expected).toEqual({ status: 'running', ending: null })
  })

  test.each(['cancel', 'timeout', 'total-timeout'] as const)('of a map that ends by %s, it is cancelled', (ending) => {
    const before = failure('earlier', 'earlier', 'user')
    expect(decideItem(item({ ending, error: before }), succeed, facts)).toMatchObject({
      ...{ status: 'cancelled', error: before, expected: { ending } },
    })
    expect(decideItem(item({ ending }), succeed, facts)).not.toHaveProperty('output')
    const failed = decideItem(item({ ending }), fail, facts)
    expect(failed).toMatchObject({ status: 'cancelled', error, attemptFailed: true, timers: [] })
    expect(failed?.deadLetter ?? false).toBe(false)
  })

  test('of a map that stops, it may finish but is not tried again', () => {
    expect(decideItem(item({ ending: 'stop' }), succeed, facts)?.status).toBe('succeeded')
    expect(decideItem(item({ ending: 'stop' }), fail, facts)).toMatchObject({
      ...{ status: 'failed', deadLetter: true, timers: [] },
    })
  })

  test('is tried again after a while; in a paused map when that is resumed', () => {
    expect(decideItem(item(), fail, facts)).toMatchObject({
      ...{ status: 'delayed', expected: { paused: false }, timers: [{ kind: 'retry' }] },
    })
    expect(decideItem(item({ paused: true }), fail, facts)).toMatchObject({
      ...{ status: 'delayed', expected: { paused: true }, timers: [] },
    })
  })

  test.each([{ paused: true }, { ending: 'stop' as const }, { closed: true }])('does not begin under %j', (map) => {
    const due = { kind: 'retry-due', taskId: 'i', timerId: 1 } as const
    expect(decideItem(item({ status: 'delayed', ...map }), due, facts)).toBeUndefined()
    expect(decideItem(item({ status: 'delayed' }), due, facts)).toMatchObject({ status: 'queued', attempt: 2 })
  })

  test('ends with its map: at once unless it runs, without its holder if that had its time', () => {
    const ended = { dropsTimers: { keepTotal: false }, timers: [] }
    for (const status of ['queued', 'delayed', 'waiting'] as const) {
      const stopped = decideItem(item({ status, ending: 'stop', error }), end, undefined)
      expect(stopped).toMatchObject({ ...ended, status: 'skipped', error, fence: false, expected: { status } })
      expect(decideItem(item({ status, ending: 'cancel' }), end, undefined)?.status).toBe('cancelled')
      expect(decideItem(item({ status }), end, undefined)).toBeUndefined()
    }
    expect(decideItem(item({ ending: 'stop' }), end, undefined)).toBeUndefined()
    expect(decideItem(item({ ending: 'cancel' }), end, undefined)).toBeUndefined()
    const late = decideItem(item({ ending: 'cancel', late: true }), end, undefined)
    expect(late).toMatchObject({ ...ended, status: 'cancelled', fence: true, expected: { status: 'running' } })
  })

  test('whatever comes to it, it moves as the table of transitions allows, or not at all', () => {
    const kinds = ['retry-due', 'wake', 'task-timeout', 'queue-timeout', 'total-timeout'] as const
    const commands = [succeed, fail, end, ...kinds.map((kind) => ({ kind, taskId: 'i', timerId: 1 }))]
    for (const status of ['queued', 'running', 'delayed', 'waiting', 'succeeded', 'failed', 'cancelled'] as const) {
      for (const ending of [null, 'stop', 'cancel'] as const) {
        for (const command of commands) {
          if ('lease' in command && status !== 'running') continue
          const one = item({ status, ending })
          const decision = decideItem(one, command, { ...facts, input: '{"duration":"10s"}' })
          if (decision) expect(taskTransitions[status]).toContain(decision.status)
        }
      }
    }
  })
})
