import { describe, expect, it } from 'vitest'
import type { Task } from '../api/types'
import { countTasks, rowsOf, withItems } from './task-rows'

const at = (second: number) => new Date(second * 1_000).toISOString()
const task = (key: string, more: Partial<Task> = {}): Task => ({ key, status: 'succeeded', ...more }) as Task
const tasks = [
  task('fetch', { startedAt: at(0), finishedAt: at(4) }),
  task('pack', { status: 'failed', startedAt: at(4), finishedAt: at(5) }),
  task('ask', { status: 'waiting', startedAt: at(5) }),
  task('end', { status: 'pending' }),
]
const options = { failedOnly: false, sort: 'defined', spans: new Map(), now: 60_000 } as const
const keys = (more: Partial<Parameters<typeof rowsOf>[1]>) =>
  rowsOf(tasks, { ...options, ...more }).map(({ key }) => key)

describe('the list of a run’s tasks', () => {
  it('shows those that failed alone', () => {
    expect(keys({ failedOnly: true })).toEqual(['pack'])
    expect(keys({})).toEqual(['fetch', 'pack', 'ask', 'end'])
  })

  it('is sorted by what needs a person, by what took longest and by what began last', () => {
    expect(keys({ sort: 'status' })).toEqual(['pack', 'ask', 'end', 'fetch'])
    expect(keys({ sort: 'longest' })).toEqual(['ask', 'fetch', 'pack', 'end'])
    expect(keys({ sort: 'latest' })).toEqual(['ask', 'pack', 'fetch', 'end'])
  })

  it('counts and shows all items of a map, of which the run carries some', () => {
    const run = [task('m', { uses: 'map' }), task('m', { index: 0 }), task('after')]
    expect(countTasks(run, new Map(), 2)).toBe(3)
    expect(countTasks(run, new Map(), 1)).toBeUndefined()
    expect(countTasks(run, new Map([['m', { succeeded: 491, failed: 9 }]]), 1)).toBe(502)
    const read = new Map([['m', [task('m', { index: 0 }), task('m', { index: 1 })]]])
    expect(withItems(run, read).map(({ key, index }) => [key, index])).toEqual([
      ['m', undefined],
      ['m', 0],
      ['m', 1],
      ['after', undefined],
    ])
  })
})
