import { expect, test, vi } from 'vitest'
import { aRun, type EventBusFixture, numbered, Recorder } from './fixture.js'

const soon = { timeout: 20_000, interval: 20 }

export function readerContract(use: () => EventBusFixture): void {
  test('of two readers of a group one alone handles each event, and the other takes over when it closes', async () => {
    const buses = [use().makeBus(), use().makeBus()] as const
    const seen = [new Recorder(), new Recorder()] as const
    for (const i of [0, 1] as const) {
      await buses[i].subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen[i].handle })
    }
    const keys = numbered('k', 20)
    for (const key of keys) await use().publish([aRun(key)])
    await vi.waitFor(() => expect([...seen[0].keys, ...seen[1].keys].sort()).toEqual([...keys].sort()), soon)
    const active = seen[0].events.length > 0 ? 0 : 1
    await buses[active].close()
    const other = active === 0 ? 1 : 0
    const more = numbered('after', 10)
    await use().publish(more.map((key) => aRun(key)))
    await vi.waitFor(() => expect(seen[other].keys).toEqual(expect.arrayContaining(more)), soon)
    expect(seen[active].keys.filter((key) => more.includes(key))).toEqual([])
  })

  test('when the active reader is killed, another takes over and nothing is lost', { timeout: 60_000 }, async () => {
    const victim = await use().startReaderProcess('g', 'workflow.updated')
    await use().publish([aRun('first')])
    await vi.waitFor(() => expect(victim.seen).toContain('first'), soon)
    const seen = new Recorder()
    await use()
      .makeBus()
      .subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    const keys = numbered('k', 50)
    const publishing = (async () => {
      for (const key of keys) await use().publish([aRun(key)])
    })()
    await vi.waitFor(() => expect(victim.seen.length + seen.keys.length).toBeGreaterThan(5), soon)
    await victim.kill()
    await publishing
    await use().publish([aRun('last')])
    const missing = () => {
      const delivered = new Set([...victim.seen, ...seen.keys])
      return [...keys, 'last'].filter((key) => !delivered.has(key))
    }
    // Kafka waits for a silent member for the length of a session.
    await vi.waitFor(() => expect(missing()).toEqual([]), { timeout: 40_000, interval: 50 })
  })

  progressContract(use)
  restartContract(use)
}

function progressContract(use: () => EventBusFixture): void {
  test('a group has caught up once it handled all that was there when it was asked', async () => {
    const bus = use().makeBus()
    let open = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      open = resolve
    })
    const seen = new Recorder()
    const subscription = await bus.subscribe({
      group: 'g',
      topics: ['workflow.updated'],
      handler: async (events) => {
        await gate
        await seen.handle(events)
      },
    })
    const probe = new Recorder()
    await bus.subscribe({ group: 'probe', topics: ['workflow.updated'], handler: probe.handle })
    try {
      await use().publish(numbered('k', 5).map((key) => aRun(key)))
      await vi.waitFor(() => expect(new Set(probe.keys).size).toBe(5), soon)
      let reached = false
      const reaching = subscription.caughtUp(new AbortController().signal).then(() => {
        reached = true
      })
      await new Promise((resolve) => setTimeout(resolve, 600))
      expect(reached).toBe(false)
      open()
      await reaching
    } finally {
      open()
    }
    expect(seen.sorted).toEqual(numbered('k', 5))
  })
}

function restartContract(use: () => EventBusFixture): void {
  test('a restart goes on where it stopped', async () => {
    const first = use().makeBus()
    const seen = new Recorder()
    await first.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    await use().publish([aRun('a'), aRun('b')])
    await vi.waitFor(() => expect(seen.sorted).toEqual(['a', 'b']), soon)
    await first.close()
    await use().publish([aRun('c')])
    const again = new Recorder()
    await use()
      .makeBus()
      .subscribe({ group: 'g', topics: ['workflow.updated'], handler: again.handle })
    await vi.waitFor(() => expect(again.keys).toEqual(['c']), soon)
  })

  test('closing waits for the batch being handled, and what was not handled comes again', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    let finish = (): void => undefined
    const blocked = new Promise<void>((resolve) => {
      finish = resolve
    })
    let started = false
    const handler = async (events: Parameters<typeof seen.handle>[0]) => {
      started = true
      await blocked
      await seen.handle(events)
    }
    const subscription = await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler, maxBatch: 1 })
    await use().publish([aRun('a'), aRun('b')])
    await vi.waitFor(() => expect(started).toBe(true), soon)
    let closed = false
    const closing = subscription.close().then(() => {
      closed = true
    })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(closed).toBe(false)
    finish()
    await closing
    const again = new Recorder()
    await use()
      .makeBus()
      .subscribe({ group: 'g', topics: ['workflow.updated'], handler: again.handle })
    await vi.waitFor(() => expect(new Set([...seen.keys, ...again.keys])).toEqual(new Set(['a', 'b'])), soon)
  })
}
