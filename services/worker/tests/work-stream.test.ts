import { waitFor } from '@millrace/testkit'
import { describe, expect, it } from 'vitest'
import { gate, resultOf, startHarness } from './harness.js'

const acceptedOnce = (accepted: ReadonlyMap<string, unknown[]>) =>
  [...accepted.values()].every((all) => all.length === 1)

describe('leases and reports on one stream', () => {
  it('carries them all, and one long poll at a time', async () => {
    const { dispatch } = await startHarness()
    const ids = dispatch.enqueue(...Array.from({ length: 40 }, () => ({})))
    for (const id of ids) expect((await resultOf(dispatch, id)).outcome).toBe('OUTCOME_SUCCEEDED')
    expect(dispatch.workStreams).toBe(1)
    // Each waits for the one before it: forty at once may share few messages.
    for (let i = 0; i < 10; i += 1) await resultOf(dispatch, dispatch.enqueue({})[0])
    expect(dispatch.messages).toBeGreaterThanOrEqual(10)
    expect(dispatch.messages).toBeGreaterThanOrEqual(dispatch.polls + dispatch.reports.length)
    expect(dispatch.maxOpenPolls).toBe(1)
  })

  it('a scheduler without it gets calls instead', async () => {
    const harness = await startHarness()
    const { dispatch } = harness
    await waitFor(() => dispatch.openPolls === 1)
    await dispatch.stop()
    dispatch.hasStream = false
    await dispatch.start()
    const before = dispatch.messages
    const [id] = dispatch.enqueue({})
    expect((await resultOf(dispatch, id)).outcome).toBe('OUTCOME_SUCCEEDED')
    expect([dispatch.messages, dispatch.registrations.length]).toEqual([before, 1])
  })

  it('what was under way when it broke is sent again on another, and accepted once', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor] })
    const ids = dispatch.enqueue(...Array.from({ length: 4 }, () => ({ uses: 'gate' })))
    await waitFor(() => held.state.running === 4)
    for (const id of ids) dispatch.silent.add(id)
    held.release()
    await waitFor(() => ids.every((id) => dispatch.accepted.has(id)))
    // Taken, never answered: the worker cannot know. Its connection is cut.
    await dispatch.stop()
    dispatch.silent.clear()
    await dispatch.start()
    const reported = (id: string) => dispatch.reports.flatMap(({ results }) => results).filter((r) => r.taskId === id)
    await waitFor(() => ids.every((id) => reported(id).length > 1), { what: 'every result reported again' })
    expect(acceptedOnce(dispatch.accepted)).toBe(true)
    expect(dispatch.registrations).toHaveLength(1)
    const [next] = dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.running === 1)
    held.release()
    await resultOf(dispatch, next)
  })

  it('a drain gives up the open request and has every result answered before it deregisters', async () => {
    const held = gate()
    const { dispatch, service } = await startHarness({ executors: [held.executor], leaseWaitMs: 10_000 })
    const [id] = dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.running === 1 && dispatch.openPolls === 1)
    const drained = service.worker.drain()
    await waitFor(() => dispatch.openPolls === 0, { what: 'the request to be given up' })
    held.release()
    expect(await drained).toBe(true)
    expect(dispatch.accepted.get(id ?? '')).toHaveLength(1)
    expect(dispatch.deregistered).toHaveLength(1)
  })

  it('an answer that the session is over ends the session, the end of the stream alone does not', async () => {
    const held = gate()
    const { dispatch } = await startHarness({ executors: [held.executor] })
    const [first] = dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.running === 1)
    dispatch.breakStreams()
    await waitFor(() => dispatch.workStreams === 2)
    expect([held.state.running, held.state.aborted]).toEqual([1, []])
    held.release()
    await resultOf(dispatch, first)
    expect(dispatch.registrations).toHaveLength(1)
    dispatch.enqueue({ uses: 'gate' })
    await waitFor(() => held.state.running === 1)
    dispatch.sessions.clear()
    await waitFor(() => dispatch.registrations.length === 2)
    expect(held.state.aborted).toEqual(['lease_lost'])
  })
})
