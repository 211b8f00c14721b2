import { describe, expect, it } from 'vitest'
import { durationP95, soonest } from './activity-model'

const at = (second: number) => new Date(second * 1_000).toISOString()

describe('what a list of workflows shows of each', () => {
  it('takes the p95 of runs that ended by themselves', () => {
    const run = (seconds: number, status = 'succeeded') => ({
      status: status as 'failed',
      startedAt: at(0),
      finishedAt: at(seconds),
    })
    expect(durationP95(Array.from({ length: 20 }, (_, n) => run(n + 1)))).toBe(19_000)
    expect(
      durationP95([run(5), run(900, 'cancelled'), { status: 'running', startedAt: at(0), finishedAt: null }]),
    ).toBe(5_000)
    expect(durationP95([])).toBeUndefined()
  })

  it('names the soonest of several schedules, and none that is paused', () => {
    const next = soonest([
      { workflow: 'a', nextAt: at(20) },
      { workflow: 'a', nextAt: at(10) },
      { workflow: 'b', nextAt: null },
    ])
    expect([...next]).toEqual([['a', at(10)]])
  })
})
