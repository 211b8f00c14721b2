import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, Client, newUser, uniqueName } from './support/client.js'
import { expectProblem } from './support/problems.js'
import { rawCall } from './support/raw-call.js'
import type { Page, Run } from './support/shapes.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let account: Account

beforeAll(async () => {
  target = await startTarget({})
  account = await newUser(target)
}, 120_000)

afterAll(() => target?.close())

const call = (method: string, path: string, body?: object) =>
  account.client.call(method, path, body === undefined ? {} : { body })

describe('query parameters that a route does not have', () => {
  test.each(['/docs?a=1', '/.well-known/jwks.json?a=1', '/healthz?a=1'])(
    'are ignored outside /api: %s',
    async (path) => {
      await new Client(target.url).want(200, 'GET', path)
    },
  )

  test.each(['/api/v1/openapi.json?a=1', '/api/v1/runs?a=1'])('are refused within: %s', async (path) => {
    const problem = expectProblem(await call('GET', path), path, 422, 'unknown_parameter')
    expect(problem.errors).toMatchObject([{ path: '/a' }])
  })
})

describe('a method that a path does not have', () => {
  test.each(['TRACE', 'PUT', 'OPTIONS'])('%s is refused with those that it has', async (method) => {
    const authorization = `Bearer ${account.client.token ?? ''}`
    const runs = await rawCall(target.url, method, '/api/v1/runs?limit=1', { authorization })
    expect([runs.status, runs.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    const workflow = await rawCall(target.url, method === 'PUT' ? 'POST' : method, '/api/v1/workflows/a', {
      authorization,
    })
    expect([workflow.status, workflow.headers.get('allow')]).toEqual([405, 'GET, PUT, DELETE, HEAD'])
  })
})

describe('a filter by an enumeration takes several values', () => {
  test.each([
    '/api/v1/runs?status=failed,cancelled',
    '/api/v1/jobs?status=failed,cancelled',
    '/api/v1/dlq?class=user,timeout&state=open,retried',
    '/api/v1/notifications?status=failed,pending',
    '/api/v1/audit?outcome=denied,failure',
    '/api/v1/workers?state=active,paused',
  ])('%s', async (path) => {
    await account.client.want(200, 'GET', path)
  })

  test('in bodies as in queries', async () => {
    const filter = { workflow: uniqueName('none') }
    for (const status of ['queued,running', ['queued', 'running'], 'queued']) {
      const body = { action: 'cancel', filter: { ...filter, status } }
      await account.client.want(202, 'POST', '/api/v1/runs/bulk', { body })
    }
    for (const each of ['user,timeout', ['user', 'timeout'], 'user']) {
      await account.client.want(200, 'POST', '/api/v1/dlq/retry', { body: { filter: { ...filter, class: each } } })
    }
    const wrong = { action: 'cancel', filter: { ...filter, status: 'queued,sleeping' } }
    expectProblem(await call('POST', '/api/v1/runs/bulk', wrong), 'a wrong status', 422)
  })

  test('levels of logs: one means it and those above, several mean themselves', async () => {
    const tasks = { a: { uses: 'fail', with: { times: 1 }, retry: { delay: '10ms' } } }
    const { id } = await account.client.runTasks(tasks)
    await account.client.ended(id)
    const lines = async (query: string) => {
      const { text } = await account.client.call('GET', `/api/v1/runs/${id}/logs?follow=true&${query}`)
      const levels = text
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [(JSON.parse(line) as { level: string }).level]))
      return levels.sort()
    }
    // The two attempts may be two workers', whose lines come when they come.
    await expect.poll(() => lines('level=info'), { timeout: 10_000 }).toEqual(['error', 'info', 'info', 'info'])
    expect(await lines('level=error')).toEqual(['error'])
    expect(await lines('level=debug,info')).toEqual(['info', 'info', 'info'])
    expectProblem(await call('GET', `/api/v1/runs/${id}/logs?level=info,loud`), 'a level', 422)
  })

  test('actions of the audit log; actor and target also by their bare id', async () => {
    const key = await account.client.createKey('viewer')
    await account.client.want(204, 'DELETE', `/api/v1/api-keys/${key.id}`)
    const actions = async (query: string) => {
      const page = await account.client.get<Page<{ action: string; target: string }>>(`/api/v1/audit?${query}`)
      return page.items.filter((entry) => entry.target === `key:${key.id}`).map(({ action }) => action)
    }
    const both = ['api_key.revoked', 'api_key.created']
    await expect.poll(() => actions('action=api_key.created,api_key.revoked')).toEqual(both)
    expect(await actions('action=api_key.created')).toEqual(['api_key.created'])
    for (const query of [
      `target=${key.id}`,
      `target=key:${key.id}`,
      `actor=${account.id}`,
      `actor=user:${account.id}`,
    ]) {
      expect([query, await actions(query)]).toEqual([query, both])
    }
    expect(await actions('target=key')).toEqual([])
  })
})

test('minutes of a day are a bucket like others', async () => {
  await account.client.want(200, 'GET', '/api/v1/stats?bucket=minute')
  expectProblem(await call('GET', '/api/v1/stats?bucket=1s'), 'seconds of a day', 422)
})

test('an artifact of a run that is none is not found, whatever its id looks like', async () => {
  expectProblem(
    await call('POST', '/api/v1/artifacts', { name: 'a', runId: 'nothing' }),
    'artifact',
    404,
    'run_not_found',
  )
})

describe('a run that waits', () => {
  type Explained = {
    blockers: { kind: string; detail: string }[]
    tasks: { key: string; blockers: { kind: string }[] }[]
  }
  const explain = (id: string) => account.client.get<Explained>(`/api/v1/runs/${id}/explain`)

  test('on hold says so for its first tasks too', async () => {
    const { id } = await account.client.runTasks(
      { a: { uses: 'noop' }, b: { needs: ['a'], uses: 'noop' } },
      { hold: true },
    )
    await account.client.runUntil(id, 'has arrived', (run) => run.tasks.length > 0)
    const { tasks } = await explain(id)
    expect(tasks.map(({ key, blockers }) => [key, blockers.map(({ kind }) => kind)])).toEqual([
      ['a', ['run_paused']],
      ['b', ['dependency']],
    ])
  })

  test('for its time says one and the same everywhere, before and after', async () => {
    type Delayed = Run & { runAt: string }
    const made = (await account.client.runTasks(
      { a: { uses: 'transform', with: { value: '${{ now }}' } } },
      { delaySeconds: 2 },
    )) as unknown as Delayed
    await account.client.runUntil(made.id, 'has arrived', (run) => run.tasks.length > 0)
    const { blockers } = await explain(made.id)
    expect(blockers).toEqual([{ kind: 'timer', detail: `the run starts at ${made.runAt}` }])
    const { items } = await account.client.get<Page<Delayed>>('/api/v1/runs?limit=1')
    const run = (await account.client.ended(made.id)) as Delayed
    expect([items[0]?.runAt, run.runAt, run.tasks[0]?.output]).toEqual([made.runAt, made.runAt, made.runAt])
    expect(Date.parse(run.startedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(made.runAt))
  })
})
