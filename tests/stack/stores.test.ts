import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Client, newUser } from '../support/client.js'
import { outageMs, recordedWithinMs, StackControl } from '../support/stack.js'
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

interface Problem {
  status: number
  code: string
  detail: string
}

async function expectUnavailable(method: string, path: string, call = {}): Promise<void> {
  const reply = await client.call<Problem>(method, path, call)
  expect(reply.status, `${method} ${path}: ${reply.text}`).toBe(503)
  expect(reply.body).toMatchObject({ status: 503, code: expect.stringMatching(/unavailable/) })
}

const readiness = async () =>
  (await client.call<{ dependencies: Record<string, string> }>('GET', '/readyz')).body.dependencies

test('the document store gone: runs go on, metadata says 503 and catches up', {
  timeout: outageMs + 3 * recordedWithinMs,
}, async () => {
  const before = await client.ended((await client.runTasks({ a: { uses: 'noop' } })).id)
  const known = before.tasks[0]?.jobId
  // What the tests before left is recorded first.
  const seen = async () => (await client.call('GET', `/api/v1/jobs/${known}`)).status === 200
  await waitFor(seen, { timeoutMs: recordedWithinMs, what: 'the records are up to date' })
  await stack.takeDown('ferretdb')
  const until = Date.now() + outageMs
  const run = await client.ended((await client.runTasks({ a: { uses: 'noop' }, b: { uses: 'noop' } })).id)
  expect(run.status).toBe('succeeded')
  await expectUnavailable('GET', `/api/v1/jobs/${known}`)
  await expectUnavailable('GET', '/api/v1/jobs')
  await expectUnavailable('GET', '/api/v1/stats')
  expect(await readiness()).toMatchObject({ metadata: 'down', scheduler: 'up' })
  while (Date.now() < until) {
    const more = await client.ended((await client.runTasks({ a: { uses: 'noop' } })).id)
    expect(more.status).toBe('succeeded')
    await delay(1_000)
  }
  await stack.bringBack('ferretdb')
  for (const task of run.tasks) {
    const path = `/api/v1/jobs/${task.jobId}`
    await waitFor(
      async () => {
        const { status, body } = await client.call<{ status: string }>('GET', path)
        return status === 200 && body.status === 'succeeded'
      },
      { timeoutMs: recordedWithinMs, what: `job ${task.key} caught up` },
    )
    await waitFor(async () => (await client.call('GET', `${path}/logs`)).text.split('\n').length > 2, {
      timeoutMs: recordedWithinMs,
      what: `the logs of ${task.key} caught up`,
    })
  }
  await waitFor(async () => (await readiness()).metadata === 'up', { timeoutMs: 30_000 })
})

test('the object store gone: runs go on, artifacts say 503 and are whole afterwards', {
  timeout: outageMs + 180_000,
}, async () => {
  const create = () => client.want<{ id: string }>(201, 'POST', '/api/v1/artifacts', { body: { name: 'report.txt' } })
  const put = (id: string, text: string) =>
    client.call('PUT', `/api/v1/artifacts/${id}/content`, {
      raw: text,
      headers: { 'content-type': 'application/octet-stream' },
    })
  const kept = await create()
  expect((await put(kept.id, 'kept')).status).toBeLessThan(300)
  const waiting = await create()
  await stack.takeDown('minio')
  const until = Date.now() + outageMs
  await expectUnavailable('GET', `/api/v1/artifacts/${kept.id}/content`)
  expect((await put(waiting.id, 'late')).status).toBe(503)
  expect(await readiness()).toMatchObject({ artifact: 'down', scheduler: 'up' })
  while (Date.now() < until) {
    const run = await client.ended((await client.runTasks({ a: { uses: 'noop' } })).id)
    expect(run.status).toBe('succeeded')
    await delay(1_000)
  }
  await stack.bringBack('minio')
  const read = async (id: string) => (await client.call('GET', `/api/v1/artifacts/${id}/content`)).text
  await waitFor(async () => (await read(kept.id)) === 'kept', { timeoutMs: 30_000 })
  expect((await put(waiting.id, 'late')).status).toBeLessThan(300)
  expect(await read(waiting.id)).toBe('late')
  await waitFor(async () => (await readiness()).artifact === 'up', { timeoutMs: 30_000 })
})
