import { randomUUID } from 'node:crypto'
import { type Route, routes } from '@millrace/routes'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Account, type Client, login, newUser, uniqueName } from './support/client.js'
import { expectProblem, expectRefusal } from './support/problems.js'
import { rawCall } from './support/raw-call.js'
import { fillPath, hasParams, title } from './support/route-calls.js'
import { startTarget, type Target } from './support/target.js'

let target: Target
let account: Account
let admin: Client
let params: Record<string, string>

beforeAll(async () => {
  target = await startTarget({ MILLRACE_RATE_LIMIT_LOGIN_ADDRESS: '100000' })
  account = await newUser(target)
  admin = await login(target, target.admin)
  const { name } = await account.client.createWorkflow({ name: uniqueName('wf'), tasks: { a: { uses: 'noop' } } })
  params = { name, id: randomUUID(), slug: account.project.slug, userId: randomUUID(), token: 'x', file: 'x' }
}, 120_000)

afterAll(() => target?.close())

const callerOf = (route: Route): Client => (route.access === 'admin' ? admin : account.client)
const json = { 'content-type': 'application/json' }
const named = (list: readonly Route[]) => list.map((route) => [title(route), route] as const)

describe('addresses', () => {
  const withParams = routes.filter((route) => hasParams(route) && route.access !== 'open')
  const ids = [
    'x',
    '0',
    '-1',
    'null',
    'undefined',
    '%00',
    '%0a',
    '%ff',
    '%c0%af',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e',
    'a%2fb',
    '\u{1f600}',
    "1'%20or%20'1'='1",
    '{id}',
    `${randomUUID()}x`,
    'x'.repeat(5_000),
    '%',
    '%zz',
    '__proto__',
    'constructor',
  ]
  const bodies: Record<string, string> = {
    putWorkflow: '{"name":"another","tasks":{"a":{"uses":"noop"}}}',
    presignArtifact: '{"expiresIn":5}',
    updateSubscription: '{"enabled":true}',
    putMember: '{"role":"viewer","email":"a@example.test"}',
    putMemberById: '{"role":"viewer"}',
    updateUser: '{"disabled":false}',
  }

  // A queue is there as soon as it is named: what is a name is no bad one.
  const isQueueName = ({ operationId }: Route, id: string) =>
    ['pauseQueue', 'resumeQueue'].includes(operationId) && /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(id)

  // Gateways resolve dot segments: this one is the address of the project's stream, which has no id.
  const isAnother = ({ operationId }: Route, id: string) => operationId === 'watchRun' && id === '%2e%2e'

  test.each(named(withParams))('%s with an id that is none', async (name, route) => {
    for (const id of ids.filter((each) => !isQueueName(route, each) && !isAnother(route, each))) {
      const path = fillPath(route, Object.fromEntries(Object.keys(params).map((key) => [key, id])))
      const body = bodies[route.operationId]
      const headers = { authorization: `Bearer ${callerOf(route).token}`, ...(body === undefined ? {} : json) }
      const reply = await rawCall(target.url, route.method, encodeURI(path).replaceAll('%25', '%'), headers, body)
      const what = `${name} with ${id.slice(0, 40)} → ${reply.status} ${reply.text.slice(0, 200)}`
      expect([400, 404, 405, 414, 422], what).toContain(reply.status)
      expectProblem({ ...reply, body: JSON.parse(reply.text) }, what)
    }
  })

  test.each(named(routes.filter(({ list, access }) => list && access !== 'open')))(
    '%s with a bad page',
    async (name, route) => {
      const path = fillPath(route, params)
      const bad = [
        'limit=0',
        'limit=201',
        'limit=-1',
        'limit=1.5',
        'limit=x',
        'limit=',
        'limit=1&limit=2',
        'limit=1e2',
        'cursor=x',
        'cursor=%00',
        'cursor=e30',
        `cursor=${Buffer.from('{"id":1}').toString('base64url')}`,
        `cursor=${'A'.repeat(4_000)}`,
        'cursor=a&cursor=b',
      ]
      for (const query of bad) {
        const reply = await callerOf(route).call('GET', `${path}?${query}`)
        // Members and versions of what is not there are not there.
        expectRefusal(reply, `${name}?${query.slice(0, 40)}`, [422, 400, 404])
      }
    },
  )

  test('query values out of their range', async () => {
    for (const path of [
      '/api/v1/runs?status=done',
      '/api/v1/runs?from=yesterday',
      '/api/v1/runs?from=2026-13-45T00:00:00Z',
      '/api/v1/runs?to=-1',
      '/api/v1/runs?label=',
      '/api/v1/runs?label=novalue',
      '/api/v1/runs?q=%00',
      `/api/v1/runs?q=${'x'.repeat(300)}`,
      '/api/v1/workflows?paused=maybe',
      `/api/v1/workflows/${params.name}?version=0`,
      `/api/v1/workflows/${params.name}?version=99999999999`,
      '/api/v1/stats?bucket=x',
      '/api/v1/stats?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
      '/api/v1/stats?bucket=1s&from=1970-01-01T00:00:00Z',
      '/api/v1/jobs?status=done',
      '/api/v1/notifications?status=done',
    ]) {
      const reply = await account.client.call('GET', path)
      if (reply.status === 200) expect(reply.text, path).toMatch(/^\{"items":\[\]/)
      else expectRefusal(reply, path)
    }
  })

  test('methods and paths that nobody has', async () => {
    for (const [method, path] of [
      ['PATCH', '/api/v1/runs'],
      ['DELETE', '/api/v1/runs'],
      ['OPTIONS', '/api/v1/runs'],
      ['POST', '/healthz'],
      ['GET', '/api/v1/nothing'],
      ['GET', '/api/v1/runs/'],
      ['GET', '/nothing.js'],
      ['POST', '/nothing'],
    ] as const) {
      expectRefusal(await account.client.call(method, path), `${method} ${path}`, [404, 405, 401])
    }
  })
})

describe('headers', () => {
  test('a project, idempotency key, trace or request id that is none', async () => {
    const { client } = account
    for (const headers of [
      { 'x-millrace-project': 'no such' },
      { 'x-millrace-project': '' },
      { 'x-millrace-project': 'x'.repeat(1_000) },
      { 'x-millrace-project': '%00' },
      { traceparent: 'nonsense' },
      { traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00` },
      { 'x-request-id': 'x'.repeat(5_000) },
      { 'last-event-id': '\u00ff' },
      { accept: 'text/event-stream' },
      { 'content-length': '0', 'content-type': 'application/json' },
    ]) {
      const reply = await rawCall(target.url, 'GET', '/api/v1/runs', {
        authorization: `Bearer ${client.token}`,
        ...headers,
      })
      expect([200, 400, 404, 422], `${JSON.stringify(headers)} → ${reply.text.slice(0, 200)}`).toContain(reply.status)
    }
    for (const key of ['', 'x'.repeat(300), 'a b', '\u00e9']) {
      const reply = await rawCall(target.url, 'POST', `/api/v1/workflows/${params.name}/runs`, {
        authorization: `Bearer ${client.token}`,
        'idempotency-key': key,
      })
      expect([202, 400, 422], `key ${key.slice(0, 20)}`).toContain(reply.status)
    }
  })

  test('more of them than anyone needs', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`x-${i}`, 'v']))
    expect([431, 400]).toContain((await rawCall(target.url, 'GET', '/api/v1/runs', many)).status)
    expect([431, 400]).toContain(
      (await rawCall(target.url, 'GET', '/api/v1/runs', { 'x-big': 'v'.repeat(200_000) })).status,
    )
  })
})

test('after all that the deployment is as well as before', async () => {
  const { client } = account
  expect((await client.call('GET', '/readyz')).status).toBe(200)
  const { id } = await client.runTasks({ a: { uses: 'noop' } })
  expect(await client.ended(id)).toMatchObject({ status: 'succeeded' })
  const fatal = (target.standalone?.logs() ?? '').split('\n').filter((line) => /"level":"(error|fatal)"/.test(line))
  expect(fatal.slice(0, 3)).toEqual([])
})
