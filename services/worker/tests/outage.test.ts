import { setTimeout as delay } from 'node:timers/promises'
import { internal, malformed, unavailable } from '@millrace/errors'
import { waitFor } from '@millrace/testkit'
import { describe, expect, it } from 'vitest'
import { gate, resultOf, startHarness } from './harness.js'

describe('while the scheduler is away', () => {
  it('tasks go on, results wait, and each is accepted once after it returns, in the same session', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor] })
    const ids = dispatch.enqueue(...Array.from({ length: 4 }, () => ({ uses: 'gate' })))
    await waitFor(() => held.state.running === 4)
    await dispatch.stop()
    held.release()
    await waitFor(() => held.state.running === 0)
    await delay(300)
    await dispatch.start()
    for (const id of ids) expect((await resultOf(dispatch, id)).outcome).toBe('OUTCOME_SUCCEEDED')
    expect([...dispatch.accepted.values()].map((results) => results.length)).toEqual([1, 1, 1, 1])
    expect([dispatch.registrations.length, held.state.aborted]).toEqual([1, []])
    const [next] = dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.running === 1)
    held.release()
    await resultOf(dispatch, next)
  })

  it('keeps trying to register', async () => {
    const { dispatch, service } = await startHarness()
    await waitFor(() => service.worker.isRegistered)
    await dispatch.stop()
    dispatch.sessions.clear()
    await delay(100)
    await dispatch.start()
    await waitFor(() => dispatch.registrations.length === 2)
    await waitFor(() => service.worker.isRegistered)
  })

  it('a report whose answer was lost is repeated and changes nothing the second time', async () => {
    const { dispatch } = await startHarness()
    dispatch.faults.push({ method: 'reportResults', error: unavailable('cut', 'cut'), afterEffect: true })
    const [id] = dispatch.enqueue({})
    await waitFor(
      () => dispatch.reports.flatMap((report) => report.results).filter((r) => r.taskId === id).length === 2,
    )
    expect(dispatch.accepted.get(id ?? '')).toHaveLength(1)
    const [next] = dispatch.enqueue({})
    await resultOf(dispatch, next)
  })

  it('a command stream that broke off is opened again', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor] })
    const [id] = dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.running === 1 && dispatch.commandStreams === 1)
    await dispatch.stop()
    await dispatch.start()
    await waitFor(() => dispatch.commandStreams === 2)
    dispatch.cancel(id)
    expect((await resultOf(dispatch, id)).error?.class).toBe('cancelled')
  })

  it('polls gently when it is answered with nothing at once', async () => {
    const { dispatch } = await startHarness({ leaseWaitMs: 10_000 })
    await waitFor(() => dispatch.openPolls === 1)
    for (let i = 0; i < 50; i++) dispatch.faults.push({ method: 'leaseTasks', error: unavailable('busy', 'busy') })
    await dispatch.stop(50)
    await dispatch.start()
    const before = dispatch.polls
    await delay(500)
    expect(dispatch.polls - before).toBeLessThan(15)
    dispatch.faults.length = 0
    const [id] = dispatch.enqueue({})
    await resultOf(dispatch, id)
  })
})

describe('a result that the scheduler cannot take', () => {
  it('does not hold up the others: its task fails instead', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor], concurrency: 3 })
    const refuse = () => dispatch.faults.push({ method: 'reportResults', error: malformed('bad', 'bad') })
    const ids = dispatch.enqueue({ uses: 'gate' }, { uses: 'gate' }, { uses: 'gate' })
    await waitFor(() => held.state.running === 3)
    // The batch of three, then its first half of two, then one alone.
    refuse()
    refuse()
    refuse()
    held.release()
    const outcomes = await Promise.all(ids.map(async (id) => (await resultOf(dispatch, id)).error?.code ?? 'ok'))
    expect(outcomes.sort()).toEqual(['ok', 'ok', 'result_refused'].sort())
  })

  it('is taken for poisoned after repeated internal errors', async () => {
    const { dispatch } = await startHarness({ concurrency: 1 })
    for (let i = 0; i < 5; i++) dispatch.faults.push({ method: 'reportResults', error: internal('broken') })
    const [id, next] = dispatch.enqueue({}, {})
    expect((await resultOf(dispatch, id)).error).toMatchObject({ class: 'validation', code: 'result_refused' })
    expect((await resultOf(dispatch, next)).outcome).toBe('OUTCOME_SUCCEEDED')
  })
})
