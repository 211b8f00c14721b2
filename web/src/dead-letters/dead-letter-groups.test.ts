import { describe, expect, it } from 'vitest'
import type { DeadLetter } from '../api/types'
import { errorShape, groupDeadLetters, groupIdOf } from './dead-letter-groups'

const deadLetter = (id: string, message: string, more: Partial<DeadLetter> = {}): DeadLetter => ({
  id,
  runId: 'r1',
  workflow: 'orders',
  taskKey: 'pay',
  error: { code: 'E', message, class: 'network', retryable: true },
  attempts: [],
  input: {},
  at: '2026-01-01T00:00:00Z',
  state: 'open',
  ...more,
})

describe('dead letters are grouped by workflow, task and error', () => {
  it('takes errors for the same that differ in ids, numbers and addresses alone', () => {
    const messages = [
      'order 17 of 018f3b2c-1111-7abc-8def-0123456789ab: answered 503 after 1.5 s',
      'order 9 of 018f3b2c-2222-7abc-8def-0123456789ab: answered 503 after 30 s',
    ]
    expect(new Set(messages.map(errorShape)).size).toBe(1)
    expect(groupDeadLetters(messages.map((text, at) => deadLetter(String(at), text)))).toHaveLength(1)
  })

  it.each([
    ['another message', deadLetter('b', 'connection refused')],
    [
      'another class',
      deadLetter('b', 'reset', { error: { code: 'E', message: 'reset', class: 'user', retryable: true } }),
    ],
    ['another task', deadLetter('b', 'reset', { taskKey: 'ship' })],
    ['another workflow', deadLetter('b', 'reset', { workflow: 'parcels' })],
    ['no error at all', deadLetter('b', 'reset', { error: null })],
  ])('keeps apart what has %s', (_, other) => {
    expect(groupDeadLetters([deadLetter('a', 'reset'), other])).toHaveLength(2)
  })

  it('puts the newest first, within a group and among groups, whatever the order of the list', () => {
    const groups = groupDeadLetters([
      deadLetter('old', 'reset'),
      deadLetter('other', 'refused', { at: '2026-01-02T00:00:00Z' }),
      deadLetter('new', 'reset', { at: '2026-01-03T00:00:00Z' }),
    ])
    expect(groups.map(({ deadLetters }) => deadLetters.map(({ id }) => id))).toEqual([['new', 'old'], ['other']])
    expect(groups[0]).toMatchObject({ newestAt: '2026-01-03T00:00:00Z', oldestAt: '2026-01-01T00:00:00Z' })
  })

  it('names a group by its error, not by its members', () => {
    expect(groupIdOf(deadLetter('a', 'took 3 s'))).toBe(groupIdOf(deadLetter('b', 'took 90 s')))
    expect(groupIdOf(deadLetter('a', 'took 3 s'))).toMatch(/^[a-z0-9.-]+$/)
  })

  it('is quick with a hostile message', () => {
    const from = performance.now()
    groupDeadLetters([deadLetter('a', 'a1-'.repeat(1_000_000))])
    expect(performance.now() - from).toBeLessThan(500)
  })
})
