import type { HintOptions } from '@millrace/events'
import { testLogger, waitFor } from '@millrace/testkit'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { RunRequest } from './db/run-requests.js'
import { StartedRuns } from './started-runs.js'

const run = (id: string, inputJson = '{}'): RunRequest => ({
  ...{ id, projectId: 'p', workflowId: 'f', workflow: 'w', version: 1, versionId: 'v', inputJson, priority: 5 },
  ...{ labels: {}, requestedBy: 'user:ada', hold: false, createdAt: new Date(), startAt: null, traceparent: null },
  ...{ origin: null, waiting: false, cancelRequestedAt: null, takenAt: null },
})

function setUp(answer: () => Promise<void> = async () => {}) {
  const taken: string[][] = []
  const hints: (HintOptions | undefined)[] = []
  const startedRuns = new StartedRuns({
    scheduler: {
      takeRuns: (runs) => {
        taken.push(runs.map(({ started }) => started?.runId ?? ''))
        return answer()
      },
    },
    bus: { hint: (options) => hints.push(options) },
    logger: testLogger,
  })
  return { startedRuns, taken, hints }
}

const many = (count: number, inputJson?: string) => Array.from({ length: count }, (_, i) => run(`r${i}`, inputJson))

describe('runs that were just committed', () => {
  test('go to the scheduler, and others hear of them a little later', async () => {
    const { startedRuns, taken, hints } = setUp()
    startedRuns.committed([run('a'), run('b')])
    await waitFor(async () => hints.length > 0)
    expect(taken).toEqual([['a', 'b']])
    expect(hints[0]?.withinMs).toBeGreaterThan(0)
  })

  test('are found in the log at once where the scheduler does not take them', async () => {
    const { startedRuns, hints } = setUp(() => Promise.reject(new Error('away')))
    startedRuns.committed([run('a')])
    await waitFor(async () => hints.length > 0)
    expect(hints).toEqual([undefined])
  })

  test.each([
    ['many', many(51)],
    ['large together', many(50, 'x'.repeat(1000))],
    ['none', []],
  ])('are left to the log when they are %s', (_, runs) => {
    const { startedRuns, taken, hints } = setUp()
    startedRuns.committed(runs)
    expect([taken, hints]).toEqual([[], [undefined]])
  })

  test('share a call while others are under way', async () => {
    let answer = () => {}
    const { startedRuns, taken, hints } = setUp(() => new Promise((resolve) => (answer = resolve)))
    startedRuns.committed([run('a')])
    await waitFor(async () => taken.length === 1)
    startedRuns.committed([run('b')])
    await waitFor(async () => taken.length === 2)
    for (const id of ['c', 'd', 'e']) startedRuns.committed([run(id)])
    answer()
    await waitFor(async () => taken.length === 3)
    expect(taken.at(-1)).toEqual(['c', 'd', 'e'])
    expect(hints).toHaveLength(1)
  })

  test('are left to the log while too many wait for a scheduler that does not answer', async () => {
    let fail = (_error: Error) => {}
    const { startedRuns, taken, hints } = setUp(() => new Promise((_, reject) => (fail = reject)))
    startedRuns.committed([run('a')])
    await waitFor(async () => taken.length === 1)
    startedRuns.committed([run('b')])
    await waitFor(async () => taken.length === 2)
    startedRuns.committed(many(50))
    startedRuns.committed(many(50))
    expect(hints).toEqual([])
    startedRuns.committed([run('c')])
    expect(hints).toEqual([undefined])
    fail(new Error('away'))
    // What waited goes to the log too, without a call of its own.
    await waitFor(async () => hints.length >= 3)
    expect(taken).toHaveLength(2)
    startedRuns.committed([run('d')])
    expect(taken).toHaveLength(2)
  })

  test('are given to a scheduler again a while after it failed', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    const answers = [() => Promise.reject(new Error('away')), async () => {}]
    const { startedRuns, taken, hints } = setUp(() => answers.shift()?.() ?? Promise.resolve())
    startedRuns.committed([run('a')])
    await waitFor(async () => hints.length === 1)
    vi.advanceTimersByTime(1_001)
    startedRuns.committed([run('b')])
    await waitFor(async () => taken.length === 2)
  })

  test('are not waited for by a close, but for calls that are under way', async () => {
    let answer = () => {}
    const { startedRuns, taken, hints } = setUp(() => new Promise((resolve) => (answer = resolve)))
    startedRuns.committed([run('a')])
    await waitFor(async () => taken.length === 1)
    startedRuns.committed([run('b')])
    await waitFor(async () => taken.length === 2)
    startedRuns.committed([run('c')])
    const closed = startedRuns.close()
    answer()
    await waitFor(async () => hints.includes(undefined))
    expect(taken.flat()).toEqual(['a', 'b'])
    void closed
  })
})
