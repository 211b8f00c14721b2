import { describe, expect, it } from 'vitest'
import type { RunSummary, Schedule } from '../api/types'
import { fillBuckets, groupFailures, longestOpen, nextDue, rangeOf, successRate } from './overview-model'

const run = (id: string, more: Partial<RunSummary>): RunSummary =>
  ({ id, workflow: 'w', createdAt: '', error: null, reason: null, ...more }) as RunSummary
const error = (kind: string) => ({ task: null, class: kind, code: '', message: '', retryable: false })

describe('the overview', () => {
  it('counts only what ended in the success rate', () => {
    expect(successRate({ succeeded: 3, failed: 1, running: 9 })).toBe(0.75)
    expect(successRate({ running: 9 })).toBeUndefined()
  })

  it('draws every moment of its range, also those in which nothing ended', () => {
    const at = (ms: number) => new Date(ms).toISOString()
    const filled = fillBuckets([{ from: at(120_000), n: 7 }], 60_000, 240_000, 60_000)
    expect(filled.map((each) => [each.at, each.bucket?.n])).toEqual([
      [60_000, undefined],
      [120_000, 7],
      [180_000, undefined],
    ])
    expect(fillBuckets([], 0, 1e15, 1)).toHaveLength(500)
  })

  it('names what fails most first, with its latest run', () => {
    const failed = [
      run('3', { error: error('network') }),
      run('2', { error: error('user') }),
      run('1', { error: error('network') }),
      run('0', { reason: 'timeout' }),
    ]
    expect(groupFailures(failed, 2)).toMatchObject([
      { error: 'network', count: 2, last: { id: '3' } },
      { error: 'user', count: 1 },
    ])
  })

  it('puts what waits longest first, and knows no range but its own', () => {
    expect(longestOpen([run('b', { createdAt: '2' }), run('a', { createdAt: '1' })], 1)[0]?.id).toBe('a')
    expect(rangeOf('nonsense').id).toBe('24h')
    expect(rangeOf('24h', '2026-01-01T00:00:00Z', '2026-01-01T00:03:00Z').bucket).toBe('5s')
    expect(rangeOf('24h', '2026-01-01T00:00:00Z', '2026-01-01T01:00:00Z').bucket).toBe('1m')
  })

  it('names the schedules that come due soonest, and none that is paused', () => {
    const schedule = (id: string, nextAt: string | null) => ({ id, nextAt }) as Schedule
    const all = [
      schedule('late', '2026-02-01T00:00:00Z'),
      schedule('paused', null),
      schedule('soon', '2026-01-01T00:00:00Z'),
    ]
    expect(nextDue(all, 5).map(({ id }) => id)).toEqual(['soon', 'late'])
    expect(nextDue(all, 1).map(({ id }) => id)).toEqual(['soon'])
  })
})
