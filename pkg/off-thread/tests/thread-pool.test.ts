import { afterEach, expect, test } from 'vitest'
import { FairQueue } from '../src/fair-queue.js'
import { ThreadPool } from '../src/index.js'

const script = new URL('./support/thread.mjs', import.meta.url)
let pool: ThreadPool
const open = (more: { threads?: number; maxQueued?: number } = {}) => {
  pool = new ThreadPool({ script, threads: 1, maxQueued: 10, memoryMb: 32, ...more })
  return (task: object, deadlineMs = 20_000) => pool.run(task, { key: 'k', deadlineMs })
}
afterEach(() => pool.close())

test('a task is answered by its thread, the next one by the same', async () => {
  const run = open()
  const first = await run({ echo: { a: [1] } })
  expect(first).toMatchObject({ echo: { a: [1] } })
  expect(await run({ echo: 1 })).toMatchObject({ thread: (first as { thread: number }).thread })
})

test('a thread that never ends is ended at its deadline, and another takes the next task', async () => {
  const run = open()
  const hung = run({ hang: true }, 300)
  const next = run({ echo: 2 })
  await expect(hung).rejects.toMatchObject({ failure: 'deadline' })
  expect(await next).toMatchObject({ echo: 2 })
})

test('a thread that takes too much memory is ended, the process lives', async () => {
  const run = open()
  await expect(run({ fill: true })).rejects.toMatchObject({ failure: 'memory' })
  expect(await run({ echo: 3 })).toMatchObject({ echo: 3 })
})

test('a thread that throws or exits is a crash', async () => {
  const run = open()
  await expect(run({ throw: true })).rejects.toMatchObject({ failure: 'crashed' })
  await expect(run({ exit: true })).rejects.toMatchObject({ failure: 'crashed' })
  expect(await run({ echo: 4 })).toMatchObject({ echo: 4 })
})

test('the event loop goes on while a thread is busy', async () => {
  const run = open()
  await run({ echo: 1 })
  let ticks = 0
  const timer = setInterval(() => ticks++, 5)
  await run({ hang: true }, 500).catch(() => undefined)
  clearInterval(timer)
  expect(ticks).toBeGreaterThan(10)
})

test('what is more than the queue holds is refused at once; closing refuses the rest', async () => {
  const run = open({ maxQueued: 1 })
  const running = run({ hang: true })
  const waiting = run({ echo: 1 })
  await expect(run({ echo: 2 })).rejects.toMatchObject({ failure: 'busy' })
  const ended = Promise.allSettled([running, waiting])
  await pool.close()
  expect((await ended).map((r) => r.status === 'rejected' && r.reason.failure)).toEqual(['closed', 'closed'])
})

test('keys take turns', () => {
  const queue = new FairQueue<string>()
  for (const item of ['a1', 'a2', 'a3']) queue.push('a', item)
  queue.push('b', 'b1')
  expect([queue.shift(), queue.shift(), queue.shift(), queue.shift(), queue.shift()]).toEqual([
    'a1',
    'b1',
    'a2',
    'a3',
    undefined,
  ])
})

test('a task that is nested too deeply to be copied is refused, and leaves the thread as it was', async () => {
  const run = open()
  const first = await run({ echo: 1 })
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`)
  await expect(run({ echo: deep })).rejects.toMatchObject({ failure: 'memory' })
  expect(await run({ echo: 2 })).toMatchObject({ thread: (first as { thread: number }).thread })
})
