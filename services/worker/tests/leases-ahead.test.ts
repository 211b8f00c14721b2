import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import { describe, expect, it } from 'vitest'
import { gate, type Harness, type HarnessOptions, resultOf, startHarness } from './harness.js'

const slots = 4

/** A worker whose tasks were short so far, so that it asks for more than it has slots, and a task that is not. */
async function afterShortTasks(options: HarnessOptions = {}): Promise<Harness & ReturnType<typeof gate>> {
  const held = gate()
  const noop = { uses: 'noop', execute: async () => null }
  const harness = await startHarness({ executors: [noop, held.executor], concurrency: slots, ...options })
  const ids = harness.dispatch.enqueue(...Array.from({ length: 100 }, () => ({})))
  await Promise.all(ids.map((id) => resultOf(harness.dispatch, id)))
  return { ...harness, ...held }
}

const gates = (count: number) => Array.from({ length: count }, () => ({ uses: 'gate' }))

describe('leases that wait for a slot', () => {
  it('are asked for while tasks are short, as many as there are slots at most', async () => {
    const { dispatch } = await afterShortTasks()
    expect(dispatch.maxGranted).toBeGreaterThan(slots)
    expect(dispatch.maxGranted).toBeLessThanOrEqual(2 * slots)
  })

  it('begin in their order when a slot is free', async () => {
    const { dispatch, state, release } = await afterShortTasks()
    const ids = dispatch.enqueue(...gates(2 * slots))
    await waitFor(() => state.running === slots)
    release()
    await waitFor(() => state.started > slots)
    release()
    for (const id of ids.slice(0, slots)) expect((await resultOf(dispatch, id)).outcome).toBe('OUTCOME_SUCCEEDED')
    expect(state.maxRunning).toBe(slots)
  })

  it('go back once when no slot is free soon, unbegun, and none is asked for while long tasks have the slots', async () => {
    const { dispatch, state, release } = await afterShortTasks()
    const ids = dispatch.enqueue(...gates(2 * slots))
    for (const id of ids.slice(slots)) expect((await resultOf(dispatch, id)).outcome).toBe('OUTCOME_HANDED_BACK')
    expect(state.started).toBe(slots)
    // Twice as long as a lease waits.
    await delay(500)
    expect([dispatch.handedBack, dispatch.queued, dispatch.sessions.size]).toEqual([slots, slots, 1])
    expect(dispatch.reports.at(-1)?.want).toBe(0)
    release()
    await waitFor(() => state.started === 2 * slots)
    expect(dispatch.handedBack).toBe(slots)
    release()
    await waitFor(() => ids.every((id) => dispatch.accepted.get(id)?.at(-1)?.outcome === 'OUTCOME_SUCCEEDED'))
  })

  it('are no more than the slots that short tasks leave to each other', async () => {
    const { dispatch, state, release } = await afterShortTasks({ leaseWaitMs: 50 })
    const long = dispatch.enqueue(...gates(slots - 1))
    await waitFor(() => state.running === slots - 1)
    await delay(150)
    // The request that was open when they began may bring more.
    const { polls } = dispatch
    await waitFor(() => dispatch.polls > polls + 1)
    dispatch.maxGranted = 0
    const short = dispatch.enqueue(...Array.from({ length: 50 }, () => ({})))
    await waitFor(() => short.every((id) => dispatch.accepted.get(id)?.at(-1)?.outcome === 'OUTCOME_SUCCEEDED'))
    expect(dispatch.maxGranted).toBeLessThanOrEqual(slots + 1)
    release()
    for (const id of long) expect((await resultOf(dispatch, id)).outcome).toBe('OUTCOME_SUCCEEDED')
  })

  it('are named in heartbeats', async () => {
    const { dispatch } = await afterShortTasks()
    const ids = dispatch.enqueue(...gates(2 * slots))
    await waitFor(() => {
      const named = new Set(dispatch.heartbeats.at(-1)?.held.map(({ taskId }) => taskId))
      return ids.every((id) => named.has(id))
    })
  })

  it.each([
    ['paused', ({ service }: Harness) => service.worker.pause()],
    ['drained', ({ service }: Harness) => void service.stop(1_000)],
  ])('go back at once when the worker is %s', async (_, end) => {
    const harness = await afterShortTasks()
    const { dispatch, state, release } = harness
    const ids = dispatch.enqueue(...gates(2 * slots))
    await waitFor(() => state.running === slots && ids.every((id) => dispatch.granted(id)))
    end(harness)
    const began = Date.now()
    for (const id of ids.slice(slots)) expect((await resultOf(dispatch, id)).outcome).toBe('OUTCOME_HANDED_BACK')
    expect(Date.now() - began).toBeLessThan(200)
    release()
    for (const id of ids.slice(0, slots)) expect((await resultOf(dispatch, id)).outcome).toBe('OUTCOME_SUCCEEDED')
    expect(state.started).toBe(slots)
  })

  it('end cancelled when their cancel comes before their slot, and do not begin elsewhere', async () => {
    const { dispatch, state, release } = await afterShortTasks()
    const ids = dispatch.enqueue(...gates(slots + 1))
    await waitFor(() => state.running === slots && ids.every((id) => dispatch.granted(id)))
    dispatch.cancel(ids.at(-1))
    expect(await resultOf(dispatch, ids.at(-1))).toMatchObject({
      outcome: 'OUTCOME_FAILED',
      error: { class: 'cancelled', message: 'asked to' },
    })
    release()
    expect([state.started, dispatch.handedBack]).toEqual([slots, 0])
  })

  it('do not begin once they are lost', async () => {
    const { dispatch, state, release } = await afterShortTasks({ leaseWaitMs: 5_000 })
    dispatch.heartbeatMs = 20
    const ids = dispatch.enqueue(...gates(slots + 1))
    await waitFor(() => ids.every((id) => dispatch.granted(id)))
    dispatch.lost.add(dispatch.granted(ids.at(-1))?.leaseId ?? '')
    const beats = dispatch.heartbeats.length
    await waitFor(() => dispatch.heartbeats.length > beats + 1)
    release()
    for (const id of ids.slice(0, slots)) expect((await resultOf(dispatch, id)).outcome).toBe('OUTCOME_SUCCEEDED')
    expect(state.started).toBe(slots)
  })
})
