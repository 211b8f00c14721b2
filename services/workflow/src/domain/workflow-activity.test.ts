import { describe, expect, test } from 'vitest'
import { summariseRuns } from './workflow-activity.js'

const at = (second: number) => new Date(second * 1_000).toISOString()
const run = (id: string, seconds: number, status = 'succeeded') => ({
  ...{ id, status, createdAt: at(0), startedAt: at(0), finishedAt: at(seconds) },
})

describe('what a list says of the runs of a workflow', () => {
  test('is the last result, and how long each run took', () => {
    const never = { ...run('c', 3, 'cancelled'), startedAt: '' }
    expect(summariseRuns([run('b', 2, 'failed'), run('a', 1), never])).toEqual({
      last: { id: 'b', status: 'failed', createdAt: at(0), finishedAt: at(2) },
      p95: 2_000,
      runs: [
        { status: 'failed', durationMs: 2_000 },
        { status: 'succeeded', durationMs: 1_000 },
        { status: 'cancelled', durationMs: null },
      ],
    })
    expect(summariseRuns([])).toEqual({ last: undefined, p95: null, runs: [] })
  })

  test('takes the p95 of runs that ended by themselves', () => {
    expect(summariseRuns(Array.from({ length: 20 }, (_, n) => run(String(n), n + 1))).p95).toBe(19_000)
    expect(summariseRuns([run('a', 5), run('b', 900, 'cancelled')]).p95).toBe(5_000)
  })
})
