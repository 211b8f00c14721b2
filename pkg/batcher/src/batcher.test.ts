import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BatcherClosedError, createBatcher, ItemFailure } from './index.js'

/** A run that ends only when told to, so that what arrives meanwhile is known. */
function gated<T>() {
  const batches: { items: T[]; finish: () => void; fail: (error: Error) => void }[] = []
  const run = (items: T[]) =>
    new Promise<T[]>((resolve, reject) => {
      batches.push({ items, finish: () => resolve(items), fail: reject })
    })
  return { batches, run }
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

describe('batching by back-pressure', () => {
  test('a lone item goes at once, without a timer', async () => {
    const { batches, run } = gated<number>()
    const batcher = createBatcher({ run })
    const answer = batcher.submit(1)
    await Promise.resolve()
    expect(batches.map((batch) => batch.items)).toEqual([[1]])
    batches[0]?.finish()
    await expect(answer).resolves.toBe(1)
  })

  test('what arrives while a batch is in flight goes together in the next', async () => {
    const { batches, run } = gated<number>()
    const batcher = createBatcher({ run })
    const answers = [batcher.submit(1)]
    await settled()
    answers.push(batcher.submit(2), batcher.submit(3))
    await settled()
    answers.push(batcher.submit(4))
    await settled()
    expect(batches).toHaveLength(1)
    batches[0]?.finish()
    await settled()
    expect(batches.map((batch) => batch.items)).toEqual([[1], [2, 3, 4]])
    batches[1]?.finish()
    await expect(Promise.all(answers)).resolves.toEqual([1, 2, 3, 4])
  })

  test('items of one tick share a batch', async () => {
    const { batches, run } = gated<number>()
    const batcher = createBatcher({ run })
    for (const item of [1, 2, 3]) void batcher.submit(item)
    await settled()
    expect(batches.map((batch) => batch.items)).toEqual([[1, 2, 3]])
  })

  test('each item is run exactly once and gets its own answer, in order, within the bounds', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ fails: fc.boolean(), pauseBefore: fc.integer({ min: 0, max: 2 }) }), { maxLength: 60 }),
        fc.integer({ min: 1, max: 7 }),
        fc.integer({ min: 1, max: 3 }),
        fc.scheduler(),
        async (plan, maxBatch, concurrency, scheduler) => {
          const ran: number[] = []
          let inFlight = 0
          const batcher = createBatcher<number, string>({
            maxBatch,
            concurrency,
            run: async (items) => {
              inFlight += 1
              expect(inFlight).toBeLessThanOrEqual(concurrency)
              expect(items.length).toBeGreaterThan(0)
              expect(items.length).toBeLessThanOrEqual(maxBatch)
              ran.push(...items)
              await scheduler.schedule(Promise.resolve())
              inFlight -= 1
              return items.map((item) => (plan[item]?.fails ? new ItemFailure(new Error(`no ${item}`)) : `ok ${item}`))
            },
          })
          const answers: Promise<string>[] = []
          for (const [item, step] of plan.entries()) {
            for (let i = 0; i < step.pauseBefore; i += 1) await Promise.resolve()
            answers.push(batcher.submit(item).catch((error: Error) => error.message))
          }
          await scheduler.waitFor(batcher.idle())
          expect(await Promise.all(answers)).toEqual(plan.map((step, i) => `${step.fails ? 'no' : 'ok'} ${i}`))
          expect(ran).toEqual(plan.map((_, i) => i))
          expect(batcher.size).toBe(0)
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('failures', () => {
  test('a batch that fails rejects its own items alone', async () => {
    const { batches, run } = gated<number>()
    const batcher = createBatcher({ run, maxBatch: 2 })
    const answers = [1, 2, 3].map((item) => batcher.submit(item))
    const outcomes = Promise.allSettled(answers)
    await settled()
    batches[0]?.fail(new Error('down'))
    await settled()
    batches[1]?.finish()
    expect((await outcomes).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'fulfilled'])
  })

  test('a run that throws before its first await is a rejection too', async () => {
    const batcher = createBatcher<number, number>({
      run: () => {
        throw new Error('at once')
      },
    })
    await expect(batcher.submit(1)).rejects.toThrow('at once')
    await expect(batcher.submit(2)).rejects.toThrow('at once')
  })

  test('a wrong number of answers rejects the batch instead of mixing answers up', async () => {
    const batcher = createBatcher<number, number>({ run: async (items) => items.slice(1) })
    await expect(batcher.submit(1)).rejects.toThrow('answered with 0 results')
  })
})

describe('closing', () => {
  test('accepted items are answered, later ones refused', async () => {
    const { batches, run } = gated<number>()
    const batcher = createBatcher({ run, maxBatch: 1 })
    const answers = [batcher.submit(1), batcher.submit(2)]
    let closed = false
    const closing = batcher.close().then(() => {
      closed = true
    })
    await expect(batcher.submit(3)).rejects.toBeInstanceOf(BatcherClosedError)
    batches[0]?.finish()
    await settled()
    expect(closed).toBe(false)
    batches[1]?.finish()
    await closing
    await expect(Promise.all(answers)).resolves.toEqual([1, 2])
  })

  test('idle resolves at once when there is nothing to do', async () => {
    await createBatcher({ run: async (items: number[]) => items }).idle()
  })

  test('idle waits for items submitted while it waits', async () => {
    const { batches, run } = gated<number>()
    const batcher = createBatcher({ run })
    void batcher.submit(1)
    let idle = false
    const waiting = batcher.idle().then(() => {
      idle = true
    })
    await settled()
    void batcher.submit(2)
    batches[0]?.finish()
    await settled()
    expect(idle).toBe(false)
    batches[1]?.finish()
    await waiting
  })
})
