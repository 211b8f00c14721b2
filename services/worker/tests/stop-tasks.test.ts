import { unauthenticated } from '@millrace/errors'
import { waitFor } from '@millrace/testkit'
import { describe, expect, it } from 'vitest'
import type { Executor } from '../src/index.js'
import { gate, resultOf, startHarness } from './harness.js'

describe('stopping a task', () => {
  it('a cancel aborts it and is reported as such, at once', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor] })
    const [id, other] = dispatch.enqueue({ uses: 'gate' }, { uses: 'gate' })
    await waitFor(() => held.state.running === 2 && dispatch.commandStreams === 1)
    dispatch.cancel(id, 'enough')
    const result = await resultOf(dispatch, id)
    expect(result).toMatchObject({
      outcome: 'OUTCOME_FAILED',
      error: { class: 'cancelled', message: 'enough', retryable: false },
    })
    expect([held.state.aborted, held.state.running, dispatch.result(other)]).toEqual([['cancelled'], 1, undefined])
  })

  it('a cancel wakes a sleeping task', async () => {
    const { dispatch } = await startHarness()
    const [id] = dispatch.enqueue({ uses: 'sleep', inputJson: '{"duration":"1h"}' })
    await waitFor(() => dispatch.granted(id) && dispatch.commandStreams === 1)
    dispatch.cancel(id)
    expect((await resultOf(dispatch, id)).error?.class).toBe('cancelled')
  })

  it('a time limit ends it, counted from the grant', async () => {
    const { dispatch } = await startHarness()
    const [id] = dispatch.enqueue({ uses: 'sleep', inputJson: '{"duration":"1h"}', timeoutMs: 60 })
    const result = await resultOf(dispatch, id)
    expect(result.error).toMatchObject({ class: 'timeout', retryable: true })
    expect(result.durationMs).toBeLessThan(1_000)
  })

  it('one that ignores its signal is reported all the same, and keeps its slot until it lets go', async () => {
    let letGo: () => void = () => undefined
    const deaf: Executor = {
      uses: 'deaf',
      execute: () =>
        new Promise<void>((resolve) => {
          letGo = resolve
        }),
    }
    const { dispatch } = await startHarness({ executors: [deaf], concurrency: 1 })
    const [id, next] = dispatch.enqueue({ uses: 'deaf', timeoutMs: 30 }, { uses: 'deaf' })
    expect((await resultOf(dispatch, id)).error?.class).toBe('timeout')
    expect(dispatch.granted(next)).toBeUndefined()
    letGo()
    await waitFor(() => dispatch.granted(next))
    expect(dispatch.accepted.get(id ?? '')).toHaveLength(1)
  })

  it('a lost lease aborts it and reports nothing', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor], concurrency: 1 })
    const [id] = dispatch.enqueue({ uses: 'gate' })
    const lease = await waitFor(() => dispatch.granted(id))
    await waitFor(() => held.state.running === 1)
    dispatch.lost.add(lease.leaseId ?? '')
    await waitFor(() => held.state.aborted.length === 1)
    // The slot is free again, and what comes next shows that the lost one was never sent.
    const [next] = dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.started === 2)
    held.release()
    await resultOf(dispatch, next)
    expect(dispatch.reports.flatMap((report) => report.results).map((result) => result.taskId)).toEqual([next])
  })

  it('an expired session stops everything, reports nothing and registers anew', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor] })
    dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.running === 1)
    dispatch.sessions.clear()
    await waitFor(() => dispatch.registrations.length === 2)
    await waitFor(() => held.state.aborted.length === 1)
    const [next] = dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.started === 2)
    held.release()
    expect((await resultOf(dispatch, next)).outcome).toBe('OUTCOME_SUCCEEDED')
    expect(dispatch.reports.flatMap((report) => report.results)).toHaveLength(1)
  })

  it('a session that ends on a report is replaced too', async () => {
    const { dispatch } = await startHarness()
    dispatch.faults.push({ method: 'reportResults', error: unauthenticated('session_expired', 'over') })
    dispatch.enqueue({})
    await waitFor(() => dispatch.registrations.length === 2)
    const [next] = dispatch.enqueue({})
    expect((await resultOf(dispatch, next)).outcome).toBe('OUTCOME_SUCCEEDED')
  })
})
