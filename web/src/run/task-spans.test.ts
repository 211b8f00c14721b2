import { describe, expect, it } from 'vitest'
import type { Task } from '../api/types'
import { spansOf, timesOf } from './task-spans'

const at = (second: number) => new Date(second * 1_000).toISOString()
const task = (key: string, more: Partial<Task> = {}): Task => ({ key, status: 'succeeded', ...more }) as Task
const needs = [
  { from: 'a', to: 'b' },
  { from: 'b', to: 'c' },
]

describe('how long a task of a run took', () => {
  it('is its own time where the API names it', () => {
    const one = task('a', { startedAt: at(1), finishedAt: at(3) })
    const spans = spansOf([one], needs, at(0))
    expect(spans.get('a')).toEqual({ from: 1_000, to: 3_000 })
    expect(timesOf(one, spans)).toEqual({ from: at(1), to: at(3) })
  })

  it('is that of all items for a map, and an item has its own', () => {
    const map = task('b', { finishedAt: at(9) })
    const items = [0, 1].map((index) => task('b', { index, startedAt: at(2 + index), finishedAt: at(5 + index) }))
    const spans = spansOf([task('a', { finishedAt: at(1) }), map, ...items], needs, at(0))
    expect(timesOf(map, spans)).toEqual({ from: at(2), to: at(9) })
    expect(timesOf(items[1] as Task, spans)).toEqual({ from: at(3), to: at(6) })
  })

  it('begins when the needs ended for what waits, also once it was decided', () => {
    const before = task('a', { startedAt: at(1), finishedAt: at(2) })
    const waits = task('b', { status: 'waiting' })
    expect(timesOf(waits, spansOf([before, waits], needs, at(0)))).toEqual({ from: at(2), to: undefined })
    const decided = task('b', { finishedAt: at(7) })
    expect(timesOf(decided, spansOf([before, decided], needs, at(0)))).toEqual({ from: at(2), to: at(7) })
    expect(spansOf([task('a', { status: 'waiting' })], needs, at(0)).get('a')).toEqual({ from: 0, to: undefined })
  })

  it('is unknown of what has not begun, was skipped or was taken over from another run', () => {
    const others = [task('a', { status: 'pending' }), task('b', { status: 'skipped' }), task('c', { reused: true })]
    expect([...spansOf(others, needs, at(0)).keys()]).toEqual([])
  })
})
