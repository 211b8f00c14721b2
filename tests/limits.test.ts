import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Account, newUser, uniqueName } from './support/client.js'
import type { Run } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let account: Account

beforeAll(async () => {
  target = await startTarget()
  account = await newUser(target)
}, 120_000)

afterAll(() => target?.close())

interface Explanation {
  blockers: { kind: string; detail: string }[]
  tasks: { key: string; blockers: { kind: string; detail: string }[] }[]
}

test('a task over its limit waits, explain names the key, and all end one after another', async () => {
  const { client } = account
  const one = { uses: 'sleep', with: { duration: '1s' }, concurrency: { limit: 1, key: 'till' } }
  const run = await client.runTasks({ a: one, b: one })
  const blocker = await waitFor(
    async () => {
      const { tasks } = await client.get<Explanation>(`/api/v1/runs/${run.id}/explain`)
      return tasks.flatMap(({ blockers }) => blockers).find(({ kind }) => kind === 'concurrency')
    },
    { timeoutMs: 30_000 },
  )
  expect(blocker.detail).toContain('till')
  const ended = await client.ended(run.id)
  expect(ended.status).toBe('succeeded')
  const [first, second] = ended.tasks
    .map(({ startedAt, finishedAt }) => ({ from: Date.parse(startedAt ?? ''), to: Date.parse(finishedAt ?? '') }))
    .sort((x, y) => x.from - y.from)
  expect(second?.from).toBeGreaterThanOrEqual(first?.to ?? Number.POSITIVE_INFINITY)
})

test('a workflow with a limit refuses a second run with cancel-new', async () => {
  const { client } = account
  const name = uniqueName('limited')
  await client.want(201, 'POST', '/api/v1/workflows', {
    body: {
      name,
      concurrency: { limit: 1, onLimit: 'cancel-new' },
      tasks: { wait: { uses: 'signal', with: { name: 'go' } } },
    },
  })
  const start = () => client.want<Run>(202, 'POST', `/api/v1/workflows/${name}/runs`, { body: {} })
  const first = await start()
  await waitFor(async () => (await client.get<Run>(`/api/v1/runs/${first.id}`)).status === 'running' || undefined)
  const second = await start()
  expect(await client.ended(second.id)).toMatchObject({ status: 'cancelled', reason: 'concurrency' })
  await client.want(200, 'POST', `/api/v1/runs/${first.id}/cancel`)
})
