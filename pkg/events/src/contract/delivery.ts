import { expect, test, vi } from 'vitest'
import type { Topic } from '../topics.js'
import { aRun, aTask, type EventBusFixture, numbered, Recorder } from './fixture.js'

type Use = () => EventBusFixture

const soon = { timeout: 20_000, interval: 10 }

export function deliveryContract(use: Use): void {
  test('each event reaches each group, whole: CloudEvents 1.0, missing fields filled with defaults', async () => {
    const bus = use().makeBus()
    const first = new Recorder<'workflow.updated'>()
    const second = new Recorder<'workflow.updated'>()
    await bus.subscribe({ group: 'first', topics: ['workflow.updated'], handler: first.handle })
    await bus.subscribe({ group: 'second', topics: ['workflow.updated'], handler: second.handle })
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const data = { runId: 'r1', projectId: 'p1', status: 'running' }
    await use().publish([{ topic: 'workflow.updated', key: 'r1', subject: 's', sequence: 7, traceparent, data }])
    bus.hint()
    await vi.waitFor(() => expect([first.keys, second.keys]).toEqual([['r1'], ['r1']]), soon)
    expect(first.events[0]).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      source: expect.any(String),
      type: 'millrace.workflow.updated.v1',
      subject: 's',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      datacontenttype: 'application/json',
      partitionkey: 'r1',
      sequence: '7',
      traceparent,
      topic: 'workflow.updated',
      data: { runId: 'r1', projectId: 'p1', workflow: '', version: 0, status: 'running', reason: '', generation: 0 },
    })
  })

  test('a group gets the topics it asked for and no other', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    await bus.subscribe({ group: 'tasks', topics: ['task.updated'], handler: seen.handle })
    await bus.subscribe({ group: 'runs', topics: ['workflow.updated'], handler: async () => undefined })
    await use().publish([aRun('a'), aTask('b'), aRun('c'), aTask('d')])
    await vi.waitFor(() => expect(seen.sorted).toEqual(['b', 'd']), soon)
  })

  wakeContract(use)
  orderContract(use)
}

function wakeContract(use: Use): void {
  test('events arrive without a hint', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    for (const key of ['a', 'b']) {
      await use().publish([aRun(key)])
      await vi.waitFor(() => expect(seen.count(key)).toBe(1), soon)
    }
  })

  test('a hint of one process wakes another', async () => {
    const [writer, reader] = [use().makeBus(), use().makeBus()]
    const seen = new Recorder()
    await reader.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    await use().publish([aRun('first')])
    await vi.waitFor(() => expect(seen.keys).toEqual(['first']), soon)
    await use().publish([aRun('a')])
    writer.hint()
    await vi.waitFor(() => expect(seen.count('a')).toBe(1), soon)
  })

  test('fields that a newer producer added are tolerated', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    const data = { runId: 'r', projectId: 'p', status: 'running', colour: { nested: [1] }, version: 3 }
    await use().publishRaw('workflow.updated', 'r', data)
    await vi.waitFor(() => expect(seen.events[0]?.data).toMatchObject({ runId: 'r', version: 3 }), soon)
    expect(seen.events[0]?.data).not.toHaveProperty('colour')
  })

  test('a long backlog is caught up fast, in batches no larger than asked', { timeout: 60_000 }, async () => {
    const bus = use().makeBus()
    const keys = numbered('k', 20_000)
    for (let i = 0; i < keys.length; i += 5_000) {
      await use().publish(keys.slice(i, i + 5_000).map((key) => aRun(key)))
    }
    const seen = new Recorder()
    const startedAt = performance.now()
    await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle, maxBatch: 400 })
    await vi.waitFor(() => expect(seen.events.length).toBe(keys.length), { timeout: 45_000, interval: 20 })
    expect(performance.now() - startedAt).toBeLessThan(40_000)
    expect(Math.max(...seen.batchSizes)).toBeLessThanOrEqual(400)
    expect(seen.batchSizes.length).toBeLessThan(200)
    expect(seen.sorted).toEqual([...keys].sort())
  })
}

function orderContract(use: Use): void {
  test('events of one key keep their order while many producers write', async () => {
    const bus = use().makeBus()
    const seen = new Recorder<'workflow.updated'>()
    await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler: seen.handle })
    const produce = async (key: string) => {
      for (let sequence = 1; sequence <= 40; sequence += 1) {
        await use().publish([aRun(key, sequence)])
        bus.hint()
      }
    }
    const keys = numbered('run', 8)
    await Promise.all(keys.map(produce))
    await vi.waitFor(() => expect(seen.events.length).toBe(8 * 40), soon)
    for (const key of keys) {
      const sequences = seen.events.filter((event) => event.partitionkey === key).map((event) => event.data.version)
      expect(sequences).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
    }
  })

  test('groups that read at different speeds each get everything, once', async () => {
    const bus = use().makeBus()
    const groups = ['fast', 'slow', 'slower'].map((name, i) => ({ name, pauseMs: i * 15, seen: new Recorder() }))
    for (const { name, pauseMs, seen } of groups) {
      const handler = async (events: Parameters<typeof seen.handle>[0]) => {
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
        await seen.handle(events)
      }
      const topics: Topic[] = ['workflow.updated', 'task.updated']
      await bus.subscribe({ group: name, topics, handler, maxBatch: 20 })
    }
    const keys = numbered('k', 300)
    for (const key of keys) {
      await use().publish([aRun(key)])
      bus.hint()
    }
    for (const { seen } of groups) await vi.waitFor(() => expect(seen.sorted).toEqual([...keys].sort()), soon)
  })
}
