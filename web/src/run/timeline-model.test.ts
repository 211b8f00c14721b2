import { describe, expect, it } from 'vitest'
import type { Task } from '../api/types'
import { buildTimeline, ticksOf } from './timeline-model'

const at = (second: number) => new Date(second * 1_000).toISOString()
const task = (key: string, more: Partial<Task>): Task => ({ key, status: 'succeeded', ...more }) as Task

describe('a run over time', () => {
  it('places bars between the start and the end, waiting apart from working', () => {
    const { bars } = buildTimeline(
      [task('a', { queuedAt: at(1), startedAt: at(3), finishedAt: at(10) })],
      at(0),
      10_000,
    )
    expect(bars[0]).toMatchObject({ queuedFrom: 0.1, from: 0.3, to: 1, tookMs: 7_000 })
  })

  it('draws a map from the first item that began to the last that ended', () => {
    const items = [0, 1].map((index) =>
      task('m', { index, queuedAt: at(1), startedAt: at(2 + index), finishedAt: at(4 + index) }),
    )
    const { bars } = buildTimeline([task('m', { status: 'running' }), ...items], at(0), 10_000)
    expect(bars).toHaveLength(1)
    expect(bars[0]).toMatchObject({ from: 0.2, to: 1, items: 2, status: 'running' })
  })

  it('draws what waits from the moment its needs ended, and what has not begun not at all', () => {
    const { bars } = buildTimeline(
      [
        task('a', { startedAt: at(0), finishedAt: at(2) }),
        task('ask', { status: 'waiting' }),
        task('end', { status: 'pending' }),
      ],
      at(0),
      10_000,
      [
        { from: 'a', to: 'ask' },
        { from: 'ask', to: 'end' },
      ],
    )
    expect(bars.find(({ key }) => key === 'ask')).toMatchObject({ from: 0.2, to: 1, tookMs: 8_000 })
    expect(bars.find(({ key }) => key === 'end')).toMatchObject({ from: 1, to: 1, tookMs: undefined })
  })

  it('has a handful of round ticks for any length', () => {
    for (const span of [1, 90, 5_000, 61_000, 7_200_000, 900_000_000]) {
      const ticks = ticksOf(span)
      expect(ticks.length).toBeLessThanOrEqual(7)
      expect(ticks[0]).toBe(0)
    }
  })
})
