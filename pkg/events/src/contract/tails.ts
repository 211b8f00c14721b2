import { expect, test, vi } from 'vitest'
import { aRun, type EventBusFixture, numbered, Recorder } from './fixture.js'

const soon = { timeout: 20_000, interval: 10 }

export function tailContract(use: () => EventBusFixture): void {
  test('every tail sees what comes after it began, and nothing from before', async () => {
    const [one, other] = [use().makeBus(), use().makeBus()]
    const earlier = new Recorder()
    await one.subscribe({ group: 'g', topics: ['workflow.updated'], handler: earlier.handle })
    await use().publish([aRun('before')])
    await vi.waitFor(() => expect(earlier.keys).toEqual(['before']), soon)
    const [first, second] = [new Recorder(), new Recorder()]
    await one.tail({ name: 't', topics: ['workflow.updated'], handler: first.handle })
    await other.tail({ name: 't', topics: ['workflow.updated'], handler: second.handle })
    const keys = numbered('after', 200)
    for (const key of keys) await use().publish([aRun(key)])
    one.hint()
    for (const seen of [first, second]) await vi.waitFor(() => expect(seen.sorted).toEqual([...keys].sort()), soon)
  })

  test('a handler that fails costs its own events and no others', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    let failed = 0
    const handler = async (events: Parameters<typeof seen.handle>[0]) => {
      if (events.some((event) => event.partitionkey === 'bad')) {
        failed += 1
        throw new Error('on purpose')
      }
      await seen.handle(events)
    }
    await bus.tail({ name: 't', topics: ['workflow.updated'], handler })
    await use().publish([aRun('bad')])
    await vi.waitFor(() => expect(failed).toBe(1), soon)
    await use().publish([aRun('good')])
    await vi.waitFor(() => expect(seen.keys).toEqual(['good']), soon)
  })

  test('a tail that was closed sees nothing more, and others go on', async () => {
    const bus = use().makeBus()
    const [closed, open] = [new Recorder(), new Recorder()]
    const tail = await bus.tail({ name: 'closed', topics: ['workflow.updated'], handler: closed.handle })
    await bus.tail({ name: 'open', topics: ['workflow.updated'], handler: open.handle })
    await tail.close()
    await use().publish([aRun('a')])
    await vi.waitFor(() => expect(open.keys).toEqual(['a']), soon)
    expect(closed.keys).toEqual([])
  })
}
