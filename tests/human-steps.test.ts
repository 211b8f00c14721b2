import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, newUser } from './support/client.js'
import { expectProblem } from './support/problems.js'
import type { Explanation, Run } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let client: Client

beforeAll(async () => {
  target = await startTarget()
}, 120_000)

beforeEach(async () => {
  client = (await newUser(target)).client
})

afterAll(() => target?.close())

const waiting = (id: string) =>
  waitFor(async () => (await client.call<Run>('GET', `/api/v1/runs/${id}`)).body.tasks[0]?.status === 'waiting')

test('an approval holds the run until somebody with the role decides', async () => {
  const { id } = await client.runTasks({
    ask: { uses: 'approval', with: { role: 'owner', message: 'Ship it?' } },
    ship: { needs: ['ask'], uses: 'transform', with: { value: '${{ tasks.ask.output.decision }}' } },
  })
  await waiting(id)
  const explained = await client.call<Explanation>('GET', `/api/v1/runs/${id}/explain`)
  expect(explained.body.tasks[0]?.blockers[0]?.kind).toBe('approval')
  const approved = await client.call<Run>('POST', `/api/v1/runs/${id}/tasks/ask/approve`, { body: { comment: 'yes' } })
  expect(approved.status).toBe(200)
  const run = await client.ended(id)
  expect(run.status).toBe('succeeded')
  expect(run.tasks[0]?.output).toMatchObject({ decision: 'approved', comment: 'yes' })
  expect(run.tasks[1]?.output).toBe('approved')
  expectProblem(await client.call('POST', `/api/v1/runs/${id}/tasks/ask/approve`), 'a second approval', 409)
  expectProblem(await client.call('POST', `/api/v1/runs/${id}/tasks/ship/approve`), 'not an approval', 404)
})

test('a rejection fails the run with that class', async () => {
  const { id } = await client.runTasks({ ask: { uses: 'approval' } })
  await waiting(id)
  await client.call('POST', `/api/v1/runs/${id}/tasks/ask/reject`, { body: { comment: 'no' } })
  const run = await client.ended(id)
  expect(run.status).toBe('failed')
  expect(run.tasks[0]?.error).toMatchObject({ class: 'rejected' })
})

test('a signal brings its payload into the run, early or late', async () => {
  const tasks = { paid: { uses: 'signal', with: { name: 'paid' } } }
  const late = await client.runTasks(tasks)
  await waiting(late.id)
  const sent = await client.call('POST', `/api/v1/runs/${late.id}/signals/paid`, { body: { payload: { amount: 5 } } })
  expect(sent.status).toBe(200)
  expect((await client.ended(late.id)).tasks[0]?.output).toEqual({ amount: 5 })
  const early = await client.runTasks({
    first: { uses: 'sleep', with: { duration: '300ms' } },
    paid: { ...tasks.paid, needs: ['first'] },
  })
  await client.call('POST', `/api/v1/runs/${early.id}/signals/paid`, { body: { payload: 7 } })
  expect((await client.ended(early.id)).tasks[1]?.output).toBe(7)
})

test('nobody reaches the steps of another project', async () => {
  const { id } = await client.runTasks({ ask: { uses: 'approval' } })
  await waiting(id)
  const stranger = (await newUser(target)).client
  expectProblem(await stranger.call('POST', `/api/v1/runs/${id}/tasks/ask/approve`), 'approve', 404)
  expectProblem(await stranger.call('POST', `/api/v1/runs/${id}/signals/x`, { body: {} }), 'signal', 404)
  expect((await client.call<Run>('GET', `/api/v1/runs/${id}`)).body.status).toBe('running')
})
