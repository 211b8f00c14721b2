import { describe, expect, test } from 'vitest'
import { IllegalTransitionError } from './illegal-transition-error.js'
import { assertRunTransition, RunStatus, runHasEnded, runTransitions } from './run-state.js'
import { assertTaskTransition, TaskStatus, taskHasEnded, taskTransitions } from './task-state.js'

const pairs = <T extends string>(statuses: Record<string, T>) =>
  Object.values(statuses).flatMap((from) => Object.values(statuses).map((to) => [from, to] as const))

describe('the transition tables', () => {
  test.each(pairs(RunStatus))('run %s → %s', (from, to) => {
    const check = () => assertRunTransition('r', from, to)
    if (from === to || runTransitions[from].includes(to)) expect(check).not.toThrow()
    else expect(check).toThrow(IllegalTransitionError)
  })

  test.each(pairs(TaskStatus))('task %s → %s', (from, to) => {
    const check = () => assertTaskTransition('t', from, to)
    if (taskTransitions[from].includes(to)) expect(check).not.toThrow()
    else expect(check).toThrow(IllegalTransitionError)
  })

  test('a task that succeeded is never left', () => {
    expect(taskTransitions.succeeded).toEqual([])
  })

  test('only a retry leaves what has ended', () => {
    for (const from of Object.values(RunStatus).filter(runHasEnded)) {
      expect(runTransitions[from].every((to) => to === 'running' || to === 'queued')).toBe(true)
    }
    for (const from of Object.values(TaskStatus).filter(taskHasEnded)) {
      expect(taskTransitions[from].every((to) => to === 'queued' || to === 'pending')).toBe(true)
    }
  })
})
