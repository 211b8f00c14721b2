import { expect, test, vi } from 'vitest'
import { aRun, type EventBusFixture, numbered, type OpenPublication, Recorder } from './fixture.js'

const soon = { timeout: 10_000, interval: 10 }

type Use = () => EventBusFixture

async function open(use: Use, keys: string[]): Promise<OpenPublication> {
  const publication = await use().publishLater?.(keys.map((key) => aRun(key)))
  if (publication === undefined) throw new Error('the fixture cannot publish in an open transaction')
  return publication
}

/** For logs that are written inside the producer's transaction: commit order is not log order. */
export function transactionContract(use: Use): void {
  test('an open transaction stalls nobody, and its events are delivered when it commits', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    const slow = await open(use, ['slow-1', 'slow-2'])
    await use().publish(numbered('later', 3).map((key) => aRun(key)))
    await vi.waitFor(() => expect(seen.keys).toEqual(numbered('later', 3)), soon)
    await use().publish([aRun('even-later')])
    await vi.waitFor(() => expect(seen.count('even-later')).toBe(1), soon)
    await slow.commit()
    await vi.waitFor(() => expect(seen.keys.slice(-2)).toEqual(['slow-1', 'slow-2']), soon)
    expect(seen.events.length).toBe(6)
  })

  test('a transaction that was open before the group existed is not missed', async () => {
    const slow = await open(use, ['slow'])
    await use().publish([aRun('later')])
    const bus = use().makeBus()
    const seen = new Recorder()
    await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    await vi.waitFor(() => expect(seen.keys).toEqual(['later']), soon)
    await slow.commit()
    await vi.waitFor(() => expect(seen.keys).toEqual(['later', 'slow']), soon)
  })

  test('a tail sees the events of a transaction that was open when it began', async () => {
    await use().publish([aRun('before')])
    const slow = await open(use, ['slow'])
    await use().publish([aRun('also-before')])
    const seen = new Recorder()
    const bus = use().makeBus()
    await bus.tail({ name: 't', topics: ['workflow.updated'], handler: seen.handle })
    await use().publish([aRun('later')])
    await vi.waitFor(() => expect(seen.keys).toEqual(['later']), soon)
    await slow.commit()
    await vi.waitFor(() => expect(seen.keys).toEqual(['later', 'slow']), soon)
  })

  test('after a restart with a gap open, nothing of the gap is lost', async () => {
    const first = use().makeBus()
    const seen = new Recorder()
    await first.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    const slow = await open(use, ['slow'])
    await use().publish([aRun('later')])
    await vi.waitFor(() => expect(seen.keys).toEqual(['later']), soon)
    await first.close()
    await slow.commit()
    const again = new Recorder()
    await use()
      .makeBus()
      .subscribe({ group: 'g', topics: ['workflow.updated'], handler: again.handle })
    await vi.waitFor(() => expect(again.count('slow')).toBe(1), soon)
  })

  gapContract(use)
}

function gapContract(use: Use): void {
  test('the gap of an aborted transaction is forgotten: the position moves past it', async () => {
    const first = use().makeBus()
    const seen = new Recorder()
    await first.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    const doomed = await open(use, numbered('never', 50))
    await use().publish([aRun('later')])
    await vi.waitFor(() => expect(seen.keys).toEqual(['later']), soon)
    await doomed.abort()
    await use().publish([aRun('last')])
    await vi.waitFor(() => expect(seen.keys).toEqual(['later', 'last']), soon)
    await settled(use, first)
    await first.close()
    const again = new Recorder()
    const second = use().makeBus()
    await second.subscribe({ group: 'g', topics: ['workflow.updated'], handler: again.handle })
    await use().publish([aRun('new')])
    await vi.waitFor(() => expect(again.count('new')).toBe(1), soon)
    expect(again.keys).toEqual(['new'])
  })

  test('order of a key holds across a gap', async () => {
    const bus = use().makeBus()
    const seen = new Recorder<'workflow.updated'>()
    await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    for (let round = 0; round < 30; round += 1) {
      const key = `k${round}`
      const slow = await open(use, [key])
      await use().publish([aRun(`other-${round}`)])
      if (round % 2 === 0) bus.hint()
      await slow.commit()
      await use().publish([aRun(key, 2)])
      bus.hint()
    }
    await vi.waitFor(() => expect(seen.events.length).toBe(90), soon)
    for (let round = 0; round < 30; round += 1) {
      const events = seen.events.filter((event) => event.partitionkey === `k${round}`)
      expect(events.map((event) => event.data.version)).toEqual([1, 2])
    }
  })
}

/** Long enough for a reader to look twice: two polls, each proven by an event that another group saw. */
async function settled(use: Use, bus: ReturnType<EventBusFixture['makeBus']>): Promise<void> {
  const probe = new Recorder()
  await bus.subscribe({ group: 'probe', topics: ['task.updated'], handler: probe.handle })
  for (const key of numbered('probe', 6)) {
    const data = { taskId: key, runId: key, projectId: 'p', status: 'queued' }
    await use().publish([{ topic: 'task.updated', key, data }])
    await vi.waitFor(() => expect(probe.count(key)).toBe(1), soon)
  }
}
