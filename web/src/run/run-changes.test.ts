import { describe, expect, it } from 'vitest'
import type { Run, Task } from '../api/types'
import { applyChanges } from './run-changes'

const task = (key: string, more: Partial<Task> = {}): Task =>
  ({
    key,
    name: key,
    uses: 'noop',
    jobId: key,
    status: 'pending',
    attempt: 0,
    maxAttempts: 3,
    output: null,
    error: null,
    ...more,
  }) as Task
const run = { id: 'r', status: 'running', tasks: [task('a'), task('b')] } as unknown as Run

describe('what a stream says of a run', () => {
  it('changes one task and leaves the others as they are', () => {
    const next = applyChanges(run, [{ event: 'task', data: task('a', { status: 'running', attempt: 1 }) }])
    expect(next?.tasks[0]?.status).toBe('running')
    expect(next?.tasks[1]).toBe(run.tasks[1])
  })

  it('adds the items of a map as they come to be', () => {
    const next = applyChanges(run, [
      { event: 'task', data: task('a', { index: 0 }) },
      { event: 'task', data: task('a', { index: 1 }) },
    ])
    expect(next?.tasks.map(({ key, index }) => [key, index])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['a', 0],
      ['a', 1],
    ])
  })

  it('keeps the tasks when the run itself changes, and takes a snapshot whole', () => {
    const done = applyChanges(run, [{ event: 'run', data: { status: 'succeeded' } }])
    expect([done?.status, done?.tasks.length]).toEqual(['succeeded', 2])
    expect(applyChanges(undefined, [{ event: 'snapshot', data: run }])).toBe(run)
  })

  it('never goes back in time when a change comes twice or late', () => {
    const ended = task('a', { status: 'succeeded', attempt: 2, startedAt: 't1', finishedAt: 't2' })
    const late = [
      task('a', { status: 'failed', attempt: 1 }),
      task('a', { status: 'running', attempt: 2, startedAt: 't1', finishedAt: null }),
    ]
    const next = applyChanges(
      run,
      [ended, ...late].map((data) => ({ event: 'task' as const, data })),
    )
    expect(next?.tasks[0]).toBe(ended)
  })
})
