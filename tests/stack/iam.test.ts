import { waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Account, Client, newUser } from '../support/client.js'
import { StackControl } from '../support/stack.js'
import { startTarget, type Target } from '../support/target.js'

const stack = new StackControl()
let target: Target
let account: Account
beforeAll(async () => {
  target = await startTarget()
  account = await newUser(target)
})
afterEach(() => stack.restore())
afterAll(() => target.close())

test('iam gone: the edge lets nobody in, and everybody again once it is back', { timeout: 120_000 }, async () => {
  const { client, email, password } = account
  const key = await client.createKey('editor')
  const callers = [client, client.as(key.key), new Client(target.url), client.as('forged')]
  await stack.takeDown('iam')
  for (const caller of callers) {
    for (const path of ['/api/v1/workflows', '/api/v1/runs', '/api/v1/jobs', '/api/v1/nowhere']) {
      const reply = await caller.call('GET', path)
      expect([403, 503], `${path}: ${reply.text}`).toContain(reply.status)
      expect(reply.headers.get('content-type')).toContain('application/problem+json')
    }
    const made = await caller.call('POST', '/api/v1/workflows', { body: { name: 'x', tasks: { a: { uses: 'noop' } } } })
    expect([403, 503]).toContain(made.status)
  }
  const login = { body: { email, password } }
  expect((await new Client(target.url).call('POST', '/api/v1/auth/login', login)).status).toBe(503)
  expect((await new Client(target.url).call('GET', '/healthz')).status).toBe(200)
  await stack.bringBack('iam')
  await waitFor(async () => (await client.call('GET', '/api/v1/workflows')).status === 200, { timeoutMs: 30_000 })
  expect((await client.as('forged').call('GET', '/api/v1/workflows')).status).toBe(401)
  expect((await client.call<{ items: unknown[] }>('GET', '/api/v1/workflows')).body.items).toEqual([])
})
