import { expect, test, vi } from 'vitest'
import { aRun, type EventBusFixture, numbered, Recorder } from './fixture.js'

const soon = { timeout: 15_000, interval: 20 }

export function readerContract(use: () => EventBusFixture): void {
  test('of two readers of a group one is active, and the other takes over when it closes', async () => {
    const buses = [use().makeBus(), use().makeBus()] as const
    const seen = [new Recorder(), new Recorder()] as const
    for (const i of [0, 1] as const) {
      await buses[i].subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen[i].handle })
    }
    const keys = numbered('k', 20)
    for (const key of keys) await use().publish([aRun(key)])
    await vi.waitFor(() => expect(seen[0].events.length + seen[1].events.length).toBe(20), soon)
    const active = seen[0].events.length > 0 ? 0 : 1
    expect(seen[active].keys).toEqual(keys)
    await buses[active].close()
    await use().publish([aRun('after')])
    const other = active === 0 ? 1 : 0
    await vi.waitFor(() => expect(seen[other].count('after')).toBe(1), soon)
  })

  test('when the active reader is killed, another takes over and nothing is lost', async () => {
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
    await vi.waitFor(() => expect(victim.seen.length).toBeGreaterThan(5), soon)
    expect(seen.keys).toEqual([])
    await victim.kill()
    await publishing
    await use().publish([aRun('last')])
    await vi.waitFor(() => expect(seen.count('last')).toBe(1), soon)
    const delivered = new Set([...victim.seen, ...seen.keys])
    expect(keys.filter((key) => !delivered.has(key))).toEqual([])
  })

  restartContract(use)
}

function restartContract(use: () => EventBusFixture): void {
  test('a restart goes on where it stopped', async () => {
    const first = use().makeBus()
    const seen = new Recorder()
    await first.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    await use().publish([aRun('a'), aRun('b')])
    await vi.waitFor(() => expect(seen.keys).toEqual(['a', 'b']), soon)
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
