import type { CloudEvent } from '@millrace/events'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onWorkflowStarted } from '../src/consumers/workflow-started.js'
import type { AppContext } from '../src/context.js'
import { NewRuns } from '../src/engine/new-runs.js'
import { Harness, TestWorker } from './support/harness.js'

describe('runs that are given to the scheduler as soon as they are committed', () => {
  let harness: Harness
  let worker: TestWorker
  beforeAll(async () => {
    harness = await Harness.start()
    worker = await new TestWorker(harness.dispatch()).start()
  })
  afterAll(async () => {
    await worker?.stop()
    await harness?.stop()
  })

  const oneTask = () => harness.define({ tasks: { a: { uses: 'noop' } } })

  test('run without their event', async () => {
    const started = harness.started(oneTask())
    await harness.internal().takeRuns({ runs: [{ started, traceparent: '' }] })
    expect((await harness.ended(started.runId)).run?.status).toBe('succeeded')
  })

  test('are created once, whatever comes first and however often', async () => {
    const runs = Array.from({ length: 20 }, () => harness.started(oneTask()))
    const give = () => harness.internal().takeRuns({ runs: runs.map((started) => ({ started, traceparent: '' })) })
    await Promise.all([give(), harness.publish(runs), give()])
    await harness.publish(runs)
    for (const { runId } of runs) {
      await harness.ended(runId)
      const updates = await harness.events('workflow.updated', runId)
      expect(updates.map(({ status }) => status)).toEqual(['running', 'succeeded'])
    }
    expect(worker.executed.filter(({ runId }) => runs.some((run) => run.runId === runId))).toHaveLength(runs.length)
  })

  test('are watched for the time that they may take', async () => {
    const versionId = harness.define({ expectedDuration: '1h', tasks: { a: { uses: 'signal', with: { name: 's' } } } })
    const started = harness.started(versionId)
    await harness.internal().takeRuns({ runs: [{ started, traceparent: '' }] })
    await waitFor(
      async () =>
        (await harness.pool.query('select 1 from run_watches where run_id = $1', [started.runId])).rowCount === 1,
      { what: 'a watch' },
    )
  })

  test('are watched also when the first try to watch them failed, or another run of the call did', async () => {
    const watched = async (runId: string) =>
      (await harness.pool.query('select 1 from run_watches where run_id = $1', [runId])).rowCount === 1
    const versionId = harness.define({ expectedDuration: '1h', tasks: { a: { uses: 'signal', with: { name: 's' } } } })
    const [first, second] = [harness.started(versionId), harness.started(versionId)]
    const take = (...runs: (typeof first)[]) =>
      harness.internal().takeRuns({ runs: runs.map((started) => ({ started, traceparent: '' })) })
    await harness.pool.query('alter table run_watches rename to run_watches_away')
    try {
      await expect(take(first)).rejects.toThrow()
    } finally {
      await harness.pool.query('alter table run_watches_away rename to run_watches')
    }
    const broken = harness.define({ tasks: { a: { uses: 'noop' } } })
    harness.unavailable.set(broken, new Error('no such version now'))
    await expect(take(harness.started(broken), second)).rejects.toThrow()
    await waitFor(() => watched(second.runId), { what: 'a watch of the other run' })
    await harness.publish([first, second])
    await waitFor(() => watched(first.runId), { what: 'a watch by the event' })
  })
})

describe('events of runs that somebody else may have been given', () => {
  test('create only what does not exist, and ask only of what is not remembered', async () => {
    const asked: string[][] = []
    const created: string[] = []
    const newRuns = new NewRuns(10)
    const ctx = {
      ...{ newRuns, env: { wallMs: () => 0 } },
      whichRunsExist: async (ids: string[]) => {
        asked.push(ids)
        return ids.filter((id) => id === 'there')
      },
      engine: {
        createRun: async ({ runId }: { runId: string }) => {
          created.push(runId)
        },
        planOf: async () => ({}),
      },
    } as unknown as AppContext
    await newRuns.once('remembered', async () => true)
    const events = ['there', 'remembered', 'fresh'].map((runId) => ({ data: { runId, startAt: '' } }))
    await onWorkflowStarted(ctx)(events as unknown as CloudEvent<'workflow.started'>[])
    expect([asked, created]).toEqual([[['there', 'fresh']], ['fresh']])
    await onWorkflowStarted(ctx)(events as unknown as CloudEvent<'workflow.started'>[])
    expect([asked.length, created]).toEqual([1, ['fresh']])
  })
})

describe('a new run that comes twice at a time', () => {
  test('is created by the first, and the second waits for that', async () => {
    const newRuns = new NewRuns(10)
    let finish = (_created: boolean) => {}
    const first = newRuns.once('r', () => new Promise<boolean>((resolve) => (finish = resolve)))
    const second = newRuns.once('r', () => Promise.reject(new Error('created twice')))
    finish(true)
    expect([await first, await second]).toEqual(['created', 'known'])
    expect(newRuns.has('r')).toBe(true)
  })

  test('is tried again by whoever comes after a creation that failed', async () => {
    const newRuns = new NewRuns(10)
    await expect(newRuns.once('r', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(newRuns.has('r')).toBe(false)
    expect(await newRuns.once('r', async () => true)).toBe('created')
  })

  test('is known not to be created', async () => {
    const newRuns = new NewRuns(10)
    expect(await newRuns.once('r', async () => false)).toBe('never')
    expect(await newRuns.once('r', async () => true)).toBe('never')
  })
})
