import { unavailable, unprocessable } from '@millrace/errors'
import { expect, test, vi } from 'vitest'
import { aRun, aTask, type EventBusFixture, numbered, Recorder } from './fixture.js'

const soon = { timeout: 15_000, interval: 20 }

export function failureContract(use: () => EventBusFixture): void {
  test('what a handler failed on is delivered again', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    let failures = 0
    const handler = async (events: Parameters<typeof seen.handle>[0]) => {
      failures += 1
      if (failures === 1) throw new Error('at first it does not work')
      await seen.handle(events)
    }
    await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler })
    await use().publish([aRun('a'), aRun('b'), aRun('c')])
    await vi.waitFor(() => expect(seen.sorted).toEqual(['a', 'b', 'c']), soon)
    expect(await use().deadLetters()).toEqual([])
  })

  test('an event that its handler never takes is put aside after three tries; the others pass', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    let triesOfPoison = 0
    const handler = async (events: Parameters<typeof seen.handle>[0]) => {
      if (events.some((event) => event.partitionkey === 'poison')) {
        if (events.length === 1) triesOfPoison += 1
        throw unprocessable('bad_run', 'this one never works')
      }
      await seen.handle(events)
    }
    await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler })
    const keys = numbered('k', 20)
    await use().publish([...keys.slice(0, 13), 'poison', ...keys.slice(13)].map((key) => aRun(key)))
    await vi.waitFor(() => expect(seen.sorted).toEqual([...keys].sort()), soon)
    const letter = { group: 'g', topic: 'workflow.updated.dlq', eventKey: 'poison', reason: 'handler_failed' }
    await vi.waitFor(async () => expect(await use().deadLetters()).toEqual([letter]), soon)
    expect(triesOfPoison).toBe(3)
  })

  test('an event that breaks its contract is put aside; the others pass', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    await bus.subscribe({ group: 'g', topics: ['workflow.updated', 'task.updated'], handler: seen.handle })
    await use().publish([aRun('a')])
    await use().publishRaw('workflow.updated', 'no-run', { projectId: 'p', status: 'running' })
    await use().publishRaw('workflow.updated', 'wrong-type', {
      runId: 'r',
      projectId: 'p',
      status: 'x',
      version: 'one',
    })
    await use().publishRaw('task.updated', 'no-object', [1, 2])
    await use().publish([aTask('b')])
    await vi.waitFor(() => expect(seen.sorted).toEqual(['a', 'b']), soon)
    const expected = [
      'task.updated.dlq no-object contract_broken',
      'workflow.updated.dlq no-run contract_broken',
      'workflow.updated.dlq wrong-type contract_broken',
    ]
    await vi.waitFor(async () => {
      const letters = await use().deadLetters()
      expect(letters.map(({ topic, eventKey, reason }) => `${topic} ${eventKey} ${reason}`).sort()).toEqual(expected)
    }, soon)
  })

  dependencyContract(use)
}

function dependencyContract(use: () => EventBusFixture): void {
  test('a failing dependency pauses the group and never counts as a try', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    let up = false
    let failures = 0
    const handler = async (events: Parameters<typeof seen.handle>[0]) => {
      if (!up) {
        failures += 1
        throw unavailable('mail_down', 'the mail server is away')
      }
      await seen.handle(events)
    }
    await bus.subscribe({ group: 'g', topics: ['workflow.updated'], handler })
    await use().publish([aRun('a'), aRun('b')])
    await vi.waitFor(() => expect(failures).toBeGreaterThan(4), soon)
    expect(seen.keys).toEqual([])
    up = true
    await vi.waitFor(() => expect(seen.sorted).toEqual(['a', 'b']), soon)
    expect(await use().deadLetters()).toEqual([])
  })

  test('a group that waits for its dependency holds up neither the others nor the closing', async () => {
    const bus = use().makeBus()
    const seen = new Recorder()
    let failures = 0
    const down = async () => {
      failures += 1
      throw unavailable('down', 'for good')
    }
    await bus.subscribe({ group: 'down', topics: ['workflow.updated'], handler: down })
    await bus.subscribe({ group: 'up', topics: ['workflow.updated'], handler: seen.handle })
    await use().publish([aRun('a')])
    await vi.waitFor(() => expect([seen.keys, failures > 0]).toEqual([['a'], true]), soon)
    await bus.close()
    const again = new Recorder()
    await use()
      .makeBus()
      .subscribe({ group: 'down', topics: ['workflow.updated'], handler: again.handle })
    await vi.waitFor(() => expect(again.keys).toEqual(['a']), soon)
  })
}
