import { describe, expect, test } from 'vitest'
import { readiness } from './readiness.js'
import type { TaskStatus } from './task-state.js'

const cases: [Parameters<typeof readiness>[0], TaskStatus[], ReturnType<typeof readiness>][] = [
  ['all_success', [], 'ready'],
  ['all_success', ['succeeded', 'running'], 'wait'],
  ['all_success', ['succeeded', 'succeeded'], 'ready'],
  ['all_success', ['running', 'failed'], 'skip'],
  ['all_success', ['succeeded', 'skipped'], 'skip'],
  ['all_done', ['failed', 'running'], 'wait'],
  ['all_done', ['failed', 'skipped', 'cancelled'], 'ready'],
  ['none_failed', ['succeeded', 'skipped'], 'ready'],
  ['none_failed', ['skipped', 'pending'], 'wait'],
  ['none_failed', ['failed', 'pending'], 'skip'],
  ['none_failed', ['cancelled'], 'skip'],
  ['any_success', [], 'ready'],
  ['any_success', ['succeeded', 'pending'], 'ready'],
  ['any_success', ['failed', 'pending'], 'wait'],
  ['any_success', ['failed', 'skipped'], 'skip'],
  ['any_failed', ['failed', 'pending'], 'ready'],
  ['any_failed', ['succeeded', 'queued'], 'wait'],
  ['any_failed', ['succeeded', 'skipped'], 'skip'],
]

describe('readiness', () => {
  test.each(cases)('%s of %j is %s', (when, needs, expected) => {
    expect(readiness(when, needs)).toBe(expected)
  })
})
