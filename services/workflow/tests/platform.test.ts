import { definitionSchema } from '@millrace/definition'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Harness, noop, startHarness } from './harness.js'

let h: Harness
beforeAll(async () => {
  h = await startHarness()
})
afterAll(() => h.stop())

const open = async (path: string) => {
  const response = await fetch(h.url(path))
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe('without a token', () => {
  test('serves the API description, complete and in full paths', async () => {
    const document = JSON.parse((await open('/api/v1/openapi.json')).text)
    expect(document.openapi).toMatch(/^3\.1/)
    expect(Object.keys(document.paths)).toEqual(
      expect.arrayContaining(['/api/v1/workflows', '/api/v1/runs/{id}', '/api/v1/auth/login']),
    )
  })

  test('serves the schema of definitions', async () => {
    expect(JSON.parse((await open('/api/v1/schemas/definition.json')).text)).toEqual(
      JSON.parse(JSON.stringify(definitionSchema)),
    )
  })

  test('serves the reader of the description, which needs no inline script', async () => {
    const page = await open('/docs')
    expect(page.status).toBe(200)
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self';/)
    expect(page.text).not.toMatch(/<script>|onload=/)
    for (const [, path] of page.text.matchAll(/(?:src|href)="([^"]+)"/g)) expect((await open(path!)).status).toBe(200)
    for (const bad of ['/docs/package.json', '/docs/../package.json', '/docs/..%2fpackage.json', '/docs/constructor']) {
      expect((await open(bad)).status).toBeGreaterThanOrEqual(400)
    }
  })

  test('says nothing about paths that do not exist', async () => {
    expect((await open('/nope.js')).status).toBe(404)
    expect((await open('/api/nope')).status).toBe(404)
  })
})

describe('readiness', () => {
  test('names every dependency and fails with any', async () => {
    const sick = await startHarness({
      // One replica of several is enough.
      scheduler: ['grpc://127.0.0.1:1', `grpc://127.0.0.1:${h.scheduler.port}`],
      workflow: [h.url('/healthz')],
      iam: ['http://127.0.0.1:1/readyz'],
    })
    const answer = await fetch(sick.url('/readyz'))
    expect(answer.status).toBe(503)
    expect(await answer.json()).toMatchObject({
      dependencies: { postgres: 'up', scheduler: 'up', workflow: 'up', iam: 'down' },
    })
    await sick.stop()
    expect(JSON.parse((await open('/readyz')).text)).toEqual({ status: 'ready', dependencies: { postgres: 'up' } })
  })
})

describe('without a scheduler', () => {
  test('runs still start, and what needs it says so', async () => {
    await h.call('POST', '/api/v1/workflows', noop('w'))
    await h.scheduler.stop()
    const run = await h.call('POST', '/api/v1/workflows/w/runs', {})
    expect(run.status).toBe(202)
    for (const [method, path] of [
      ['GET', `/api/v1/runs/${run.body.id}`],
      ['GET', '/api/v1/runs'],
      ['GET', `/api/v1/runs/${run.body.id}/events`],
      ['POST', `/api/v1/runs/${run.body.id}/cancel`],
    ] as const) {
      expect(await h.call(method, path)).toMatchObject({ status: 503, body: { code: 'scheduler_unavailable' } })
    }
    // The list of workflows is this service's own: it says less.
    const { status, body } = await h.call('GET', '/api/v1/workflows?activity=true')
    expect([status, body.items[0].name, body.items[0].activity]).toEqual([200, 'w', undefined])
    await h.scheduler.start()
    await waitFor(async () => (await h.call('GET', `/api/v1/runs/${run.body.id}`)).body.status === 'queued')
  })
})
