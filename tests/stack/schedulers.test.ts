import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Client, newUser, uniqueName } from '../support/client.js'
import { leisure, outageMs, StackControl } from '../support/stack.js'
import { startTarget, type Target } from '../support/target.js'

const stack = new StackControl()
let target: Target
let client: Client
beforeAll(async () => {
  target = await startTarget()
  client = (await newUser(target)).client
})
afterEach(() => stack.restore())
afterAll(() => target.close())

const tasksAtOnce = 200

test('both schedulers gone while 200 tasks run: no result is lost, no task runs twice', {
  timeout: outageMs + 180_000,
}, async () => {
  const mark = uniqueName('both')
  // Each answer comes while no scheduler lives, whatever the time the last task took to start.
  let down = false
  target.sink.otherwise((request) => (request.url.includes(mark) ? { status: 200, delayMs: down ? 0 : 15_000 } : {}))
  const called = () => target.sink.requests.filter((request) => request.url.includes(mark))
  const tasks = Object.fromEntries(
    Array.from({ length: tasksAtOnce }, (_, i) => [
      `t${i}`,
      { uses: 'http', with: { url: `${target.sink.url}/${mark}/${i}` }, timeout: '5m' },
    ]),
  )
  const run = await client.runTasks(tasks)
  await waitFor(() => called().length === tasksAtOnce, { timeoutMs: 60_000, what: '200 tasks run' })
  await stack.takeDown('scheduler-1', 'scheduler-2')
  down = true
  await delay(outageMs)
  await stack.bringBack('scheduler-1', 'scheduler-2')
  const ended = await client.ended(run.id, 120_000)
  expect(ended.status).toBe('succeeded')
  expect(ended.tasks.filter((task) => task.status === 'succeeded' && task.attempt === 1)).toHaveLength(tasksAtOnce)
  expect(called()).toHaveLength(tasksAtOnce)
})

test('one of two schedulers gone under load: the other goes on within 10 s', { timeout: 180_000 }, async () => {
  const { name } = await client.createWorkflow({
    name: uniqueName('load'),
    tasks: { a: { uses: 'noop' }, b: { needs: ['a'], uses: 'noop' } },
  })
  const started: string[] = []
  const endedAt: number[] = []
  let loading = true
  const load = async () => {
    while (loading) {
      const reply = await client.call<{ id: string }>('POST', `/api/v1/workflows/${name}/runs`, { body: {} })
      // A request that was on its way to the one that died may fail; it must say so, and nothing else may.
      if (reply.status === 202) started.push(reply.body.id)
      else expect(reply.status).toBe(503)
      await delay(50)
    }
  }
  const watch = async () => {
    for (let next = 0; loading || next < started.length; ) {
      const id = started[next]
      if (id === undefined) await delay(20)
      else {
        await waitFor(
          async () => {
            const { status, body } = await client.call<{ status: string }>('GET', `/api/v1/runs/${id}`)
            return status === 200 && ['succeeded', 'failed', 'cancelled'].includes(body.status) && body.status
          },
          { timeoutMs: 60_000, intervalMs: 20, what: `run ${id} ended` },
        )
        endedAt.push(Date.now())
        next += 1
      }
    }
  }
  const working = Promise.all([load(), watch()])
  await delay(3_000)
  const killedAt = Date.now()
  await stack.takeDown('scheduler-1')
  await delay(12_000)
  await stack.bringBack('scheduler-1')
  await delay(3_000)
  loading = false
  await working
  const after = endedAt.filter((at) => at >= killedAt)
  const gaps = [killedAt, ...after].map((at, i, all) => (all[i + 1] ?? at) - at)
  expect(after.length).toBeGreaterThan(10)
  process.stdout.write(`one scheduler of two gone: the longest pause was ${Math.max(...gaps)} ms\n`)
  expect(Math.max(...gaps)).toBeLessThan(10_000 * leisure)
  expect(endedAt).toHaveLength(started.length)
})
