import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, Client, newUser, uniqueName } from './support/client.js'
import { expectProblem } from './support/problems.js'
import type { Page, Run, Workflow } from './support/shapes.js'
import { startTarget, type Target, targetIsOwn } from './support/target.js'

let target: Target
let account: Account

beforeAll(async () => {
  target = await startTarget({ MILLRACE_LOG_LEVEL: 'debug', MILLRACE_RATE_LIMIT_HOOKS: '20' })
  account = await newUser(target)
}, 120_000)

afterAll(() => target?.close())

const post = <T>(status: number, path: string, body?: object, headers: Record<string, string> = {}) =>
  account.client.want<T>(status, 'POST', path, { ...(body === undefined ? {} : { body }), headers })

describe('a batch', () => {
  test('of a thousand runs, one of them wrong, ends well', async () => {
    const { client } = account
    const { name } = await client.createWorkflow({
      name: uniqueName('batch'),
      input: { type: 'object', properties: { n: { type: 'integer' } } },
      tasks: { a: { uses: 'transform', with: { value: '${{ input.n }}' } } },
    })
    const items = Array.from({ length: 1_000 }, (_, n) => ({ input: { n: n === 7 ? 'seven' : n } }))
    const headers = { 'idempotency-key': randomUUID() }
    const path = `/api/v1/workflows/${name}/runs/batch`
    type Answer = { items: { id?: string; error?: { code: string } }[] }
    const answer = await post<Answer>(202, path, { items }, headers)
    expect(await post<Answer>(202, path, { items }, headers)).toEqual(answer)
    expect(answer.items[7]).toMatchObject({ error: { code: 'invalid_input' } })
    expect(answer.items.filter(({ id }) => id !== undefined)).toHaveLength(999)
    const runs = await client.all<Run>(`/api/v1/runs?workflow=${name}`)
    expect(runs).toHaveLength(999)
    const last = await client.ended(answer.items[999]?.id ?? '', 60_000)
    expect(last).toMatchObject({ status: 'succeeded', tasks: [{ output: 999 }] })
  }, 90_000)
})

describe('a one-off job', () => {
  test('runs by itself, with its payload as it is, and retries as often as asked', async () => {
    const { client } = account
    const payload = { output: { text: '${{ input.secret }}', n: [1, 2.5, null] } }
    const { runId } = await post<{ runId: string }>(202, '/api/v1/tasks/schedule', {
      type: 'noop',
      payload,
      priority: 9,
    })
    expect(await client.ended(runId)).toMatchObject({
      workflow: 'task:noop',
      status: 'succeeded',
      priority: 9,
      input: payload,
      tasks: [{ key: 'task', uses: 'noop', output: payload.output }],
    })
    const flaky = await post<{ runId: string }>(202, '/api/v1/tasks/schedule', {
      type: 'fail',
      payload: { times: 1 },
      retries: 1,
    })
    expect(await client.ended(flaky.runId)).toMatchObject({
      status: 'succeeded',
      tasks: [{ attempt: 2, maxAttempts: 2 }],
    })
    const hopeless = await post<{ runId: string }>(202, '/api/v1/tasks/schedule', { type: 'fail', retries: 0 })
    expect(await client.ended(hopeless.runId)).toMatchObject({ status: 'failed', tasks: [{ attempt: 1 }] })
    const letters = await client.get<Page<{ runId: string }>>('/api/v1/dlq?workflow=task:fail')
    expect(letters.items.map((letter) => letter.runId)).toEqual([hopeless.runId])
    const names = (await client.all<Workflow>('/api/v1/workflows')).map(({ name }) => name)
    expect(names.filter((name) => name.includes(':'))).toEqual([])
  })

  test('may be delayed', async () => {
    const from = Date.now()
    const { runId } = await post<{ runId: string }>(202, '/api/v1/tasks/schedule', { type: 'noop', delaySeconds: 1 })
    const run = await account.client.ended(runId)
    expect(Date.parse(run.startedAt ?? '') - from).toBeGreaterThanOrEqual(900)
  })
})

describe('a workflow built step by step', () => {
  test('runs, and keeps its version until it changes', async () => {
    const { client } = account
    const name = uniqueName('built')
    const { id: workflowId } = await post<{ id: string }>(201, '/api/workflows', { name })
    const task = async (body: object) => (await post<{ id: string }>(201, '/api/tasks', { workflowId, ...body })).id
    const depend = (taskId: string, dependsOnTaskId: string) => ({ workflowId, taskId, dependsOnTaskId })
    const a = await task({ name: 'fetch' })
    const b = await task({ name: 'double', uses: 'transform', with: { value: '${{ input.n * 2 }}' } })
    const c = await task({ name: 'report' })
    await post(201, '/api/dependencies', depend(b, a))
    await post(201, '/api/dependencies', depend(c, b))
    const closing = await client.call('POST', '/api/dependencies', { body: depend(a, c) })
    expect(expectProblem(closing, 'a cycle', 422).errors).toMatchObject([{ code: 'cycle' }])
    const start = () => post<{ id: string }>(202, `/api/workflows/${workflowId}/start`, { input: { n: 21 } })
    const runs = [await start(), await start()]
    for (const { id } of runs) {
      const run = await client.ended(id)
      expect(run).toMatchObject({ status: 'succeeded', workflow: name, version: 1 })
      expect(run.tasks.map(({ key, output }) => [key, output])).toEqual([
        ['fetch', null],
        ['double', 42],
        ['report', null],
      ])
    }
    await task({ name: 'more' })
    expect(await client.ended((await start()).id)).toMatchObject({ status: 'succeeded', version: 2 })
  })
})

describe('a hook', () => {
  test('starts runs for whoever knows it, until it is revoked; its token is in no log', async () => {
    const { client } = account
    const { name } = await client.createWorkflow({
      name: uniqueName('hooked'),
      input: { type: 'object', required: ['n'] },
      tasks: { a: { uses: 'transform', with: { value: '${{ input.n }}' } } },
    })
    const hook = await post<{ id: string; url: string; token: string }>(201, `/api/v1/workflows/${name}/hooks`)
    const anonymous = new Client(target.url)
    const { id } = await anonymous.want<{ id: string }>(202, 'POST', hook.url, { body: { n: 5 } })
    expect(await client.ended(id)).toMatchObject({ status: 'succeeded', workflow: name, tasks: [{ output: 5 }] })
    expectProblem(await anonymous.call('POST', hook.url, { body: {} }), 'no input', 422, 'invalid_input')
    expectProblem(
      await anonymous.call('POST', hook.url, { raw: 'n=5', headers: { 'content-type': 'text/plain' } }),
      'text',
      415,
    )
    expectProblem(await anonymous.call('GET', hook.url), 'a look', 401)
    const answers = await Promise.all(
      Array.from({ length: 30 }, () => anonymous.call('POST', hook.url, { body: { n: 1 } })),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(5)
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    await client.want(204, 'DELETE', `/api/v1/workflows/${name}/hooks/${hook.id}`)
    expectProblem(await anonymous.call('POST', hook.url, { body: { n: 5 } }), 'revoked', 404, 'hook_not_found')
    if (targetIsOwn) expect(target.standalone?.logs()).not.toContain(hook.token)
  })
})
