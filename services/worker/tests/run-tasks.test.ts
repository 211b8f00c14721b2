import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '@millrace/errors'
import { waitFor } from '@millrace/testkit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Executor } from '../src/index.js'
import { gate, resultOf, startHarness } from './harness.js'

describe('a worker', () => {
  it('registers with what it can do', async () => {
    const { dispatch } = await startHarness()
    await waitFor(() => dispatch.registrations.length === 1)
    expect(dispatch.registrations[0]).toMatchObject({
      name: 'worker-under-test',
      executors: ['noop', 'fail', 'sleep', 'transform', 'http', 'webhook', 'llm', 'sql', 'shell'],
      queues: ['default'],
      concurrency: 4,
    })
  })

  it('leases, executes and reports, each task once', async () => {
    const { dispatch } = await startHarness()
    const ids = dispatch.enqueue(
      { inputJson: '{"output":{"a":1}}', token: 7, runId: 'run-1' },
      { uses: 'fail', inputJson: '{"message":"no"}' },
      { uses: 'transform', inputJson: '{"value":[1,"2",null]}' },
    )
    const [noop, fail, transform] = await Promise.all(ids.map((id) => resultOf(dispatch, id)))
    expect(noop).toMatchObject({ outcome: 'OUTCOME_SUCCEEDED', outputJson: '{"a":1}', token: 7, runId: 'run-1' })
    expect(fail).toMatchObject({
      outcome: 'OUTCOME_FAILED',
      error: { class: 'user', message: 'no', code: 'failed_as_asked', retryable: true },
    })
    expect(transform?.outputJson).toBe('[1,"2",null]')
    expect([...dispatch.accepted.values()].every((results) => results.length === 1)).toBe(true)
  })

  it('takes its next task from the reply to a report, asking for no more than it has room for', async () => {
    const { dispatch } = await startHarness({ concurrency: 1 })
    const ids = dispatch.enqueue(...Array.from({ length: 12 }, () => ({})))
    await Promise.all(ids.map((id) => resultOf(dispatch, id)))
    expect(dispatch.reports.every((report) => report.want <= 1)).toBe(true)
    expect(dispatch.maxGranted).toBe(1)
    // One poll brought the first task, the replies brought the rest, one poll waits for more.
    expect(dispatch.polls).toBeLessThanOrEqual(3)
  })

  it('has one long poll open at most, and none while it is full', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor], concurrency: 3 })
    dispatch.enqueue(...Array.from({ length: 8 }, () => ({ uses: 'gate' })))
    await waitFor(() => held.state.running === 3)
    await delay(150)
    expect([dispatch.openPolls, dispatch.queued]).toEqual([0, 5])
    held.release()
    await waitFor(() => held.state.started >= 6)
    held.release()
    await waitFor(() => held.state.started === 8)
    held.release()
    await waitFor(() => dispatch.accepted.size === 8)
    await waitFor(() => dispatch.openPolls === 1)
    expect([dispatch.maxOpenPolls, held.state.maxRunning]).toEqual([1, 3])
  })

  it('never runs more than its concurrency, whatever arrives and however it ends', async () => {
    const plan = fc.record({
      concurrency: fc.integer({ min: 1, max: 5 }),
      tasks: fc.array(
        fc.record({ ms: fc.integer({ min: 0, max: 8 }), fails: fc.boolean(), limitMs: fc.constantFrom(0, 0, 3) }),
        {
          minLength: 1,
          maxLength: 30,
        },
      ),
    })
    await fc.assert(
      fc.asyncProperty(plan, async ({ concurrency, tasks }) => {
        let running = 0
        let most = 0
        const executor: Executor = {
          uses: 'busy',
          async execute({ input, signal }) {
            const { ms, fails } = input as { ms: number; fails: boolean }
            most = Math.max(most, ++running)
            try {
              await delay(ms, undefined, { signal })
              if (fails) throw new Error('no')
            } finally {
              running--
            }
          },
        }
        const { dispatch, service } = await startHarness({ executors: [executor], concurrency })
        const leases = tasks.map((task) => ({ uses: 'busy', inputJson: JSON.stringify(task), timeoutMs: task.limitMs }))
        const ids = leases.flatMap((lease) => dispatch.enqueue(lease))
        await Promise.all(ids.map((id) => resultOf(dispatch, id)))
        await service.stop()
        expect(most).toBeLessThanOrEqual(concurrency)
        // Where tasks are short, as many may wait for a slot.
        expect(dispatch.maxGranted).toBeLessThanOrEqual(2 * concurrency)
      }),
      { numRuns: 12 },
    )
  })

  it('hands back what arrives beyond its room, and goes on', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor], concurrency: 1 })
    await waitFor(() => dispatch.openPolls === 1)
    dispatch.excess = 1
    const [first, second] = dispatch.enqueue({ uses: 'gate' }, { uses: 'gate' })
    expect((await resultOf(dispatch, second)).outcome).toBe('OUTCOME_HANDED_BACK')
    expect(held.state.started).toBe(1)
    held.release()
    expect((await resultOf(dispatch, first)).outcome).toBe('OUTCOME_SUCCEEDED')
    await waitFor(() => held.state.started === 2)
    held.release()
    await waitFor(() => dispatch.accepted.get(second ?? '')?.at(-1)?.outcome === 'OUTCOME_SUCCEEDED')
  })

  it('goes on naming a lease whose result is not yet answered for', async () => {
    const { dispatch } = await startHarness()
    const away = { method: 'reportResults' as const, error: unavailable('away', 'away') }
    dispatch.faults.push(away, away, away, away)
    const [id] = dispatch.enqueue({})
    await waitFor(() => dispatch.heartbeats.at(-1)?.held[0]?.taskId === id)
    await resultOf(dispatch, id)
    await waitFor(() => dispatch.heartbeats.at(-1)?.held.length === 0)
  })

  it('names what it holds in every heartbeat', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor] })
    const ids = dispatch.enqueue({ uses: 'gate' }, { uses: 'gate' })
    await waitFor(() => dispatch.heartbeats.at(-1)?.held.length === 2)
    expect(
      dispatch.heartbeats
        .at(-1)
        ?.held.map((lease) => lease.taskId)
        .sort(),
    ).toEqual([...ids].sort())
    held.release()
    await waitFor(() => dispatch.heartbeats.at(-1)?.held.length === 0)
  })

  it('fails a task it has no executor for, rather than passing it on for ever', async () => {
    const { dispatch } = await startHarness()
    const [id] = dispatch.enqueue({ uses: 'payments.charge' })
    expect((await resultOf(dispatch, id)).error).toMatchObject({ class: 'non_retryable', code: 'executor_unknown' })
  })
})
