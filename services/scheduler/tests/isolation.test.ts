import { unavailable } from '@millrace/errors'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Harness, TestWorker } from './support/harness.js'

describe('one run does not hold up another', () => {
  let harness: Harness
  let worker: TestWorker
  beforeAll(async () => {
    harness = await Harness.start({ shards: 1 })
    worker = await new TestWorker(harness.dispatch()).start()
  })
  afterAll(async () => {
    await worker?.stop()
    await harness?.stop()
  })

  test('a definition that cannot be had now delays its own runs alone', async () => {
    const good = harness.define({ tasks: { a: { uses: 'noop' }, b: { needs: ['a'], uses: 'noop' } } })
    const bad = harness.define({ tasks: { a: { uses: 'noop' } } })
    const definition = harness.definitions.get(bad)
    harness.unavailable.set(bad, unavailable('workflow_down', 'not now'))
    const first = await harness.one(good)
    await harness.ended(first)
    const waiting = await harness.one(bad)
    const running = await harness.one(good).then((id) => harness.run(id).catch(() => id))
    expect(running).toBeTruthy()
    await expect(harness.run(waiting)).rejects.toMatchObject({ code: 'not_found' })
    harness.unavailable.delete(bad)
    if (definition) harness.definitions.set(bad, definition)
    expect((await harness.ended(waiting)).run?.status).toBe('succeeded')
  })

  test('reports go on while a new run in the same shard cannot be decided', async () => {
    const slow = harness.define({ tasks: { a: { uses: 'custom.fn' }, b: { needs: ['a'], uses: 'noop' } } })
    const id = await harness.one(slow)
    await waitFor(() => harness.run(id))
    const bad = harness.define({ tasks: { a: { uses: 'noop' } } })
    harness.unavailable.set(bad, unavailable('workflow_down', 'not now'))
    await harness.one(bad)
    expect((await harness.ended(id, 5000)).run?.status).toBe('succeeded')
    harness.unavailable.delete(bad)
  })
})
