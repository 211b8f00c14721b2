import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Harness, startHarness } from './harness.js'

let h: Harness
let as: { projectId: string }
beforeAll(async () => {
  h = await startHarness()
})
afterAll(() => h.stop())
beforeEach(() => {
  as = { projectId: randomUUID() }
  h.scheduler.letters.clear()
})

const call = (method: string, path: string, body?: unknown) => h.call(method, `/api/v1/dlq${path}`, body, { as })
const audits = async () =>
  (await h.events('audit.recorded')).filter((e) => e.key === as.projectId).map((e) => [e.data.action, e.data.target])

function addLetter(n = 0, more = {}): string {
  const id = `0199${String(n).padStart(4, '0')}-0000-7000-8000-${randomUUID().slice(-12)}`
  h.scheduler.letters.set(id, {
    id,
    runId: randomUUID(),
    projectId: as.projectId,
    workflow: 'w',
    version: 2,
    taskId: randomUUID(),
    taskKey: 'pay',
    error: { code: 'http_503', message: 'no', class: 'http_5xx', retryable: true },
    attempts: [{ attempt: 1, at: '2026-01-01T00:00:00.000Z', workerId: '', error: { code: 'x', class: 'network' } }],
    inputJson: '{"n":1}',
    at: '2026-01-01T00:00:01.000Z',
    state: 'open',
    ...more,
  })
  return id
}

describe('dead letters', () => {
  test('show the task, its error, its attempts and what it was given', async () => {
    const id = addLetter(0, { index: 3 })
    const { status, body } = await call('GET', `/${id}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id,
      workflow: 'w',
      version: 2,
      taskKey: 'pay',
      index: 3,
      error: { code: 'http_503', class: 'http_5xx' },
      attempts: [{ attempt: 1, workerId: null, error: { class: 'network' } }],
      input: { n: 1 },
      state: 'open',
    })
    expect((await call('GET', `/${addLetter(1)}`)).body).not.toHaveProperty('index')
    expect((await call('GET', '')).body.items).toHaveLength(2)
  })

  test('are listed by pages and filters', async () => {
    const ids = Array.from({ length: 5 }, (_, n) => addLetter(n)).reverse()
    addLetter(9, { projectId: randomUUID() })
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { body }: { body: { items: { id: string }[]; nextCursor: string | null } } = await call(
        'GET',
        `?limit=2${cursor && `&cursor=${cursor}`}`,
      )
      seen.push(...body.items.map((item) => item.id))
      cursor = body.nextCursor
    }
    expect(seen).toEqual(ids)
    expect((await call('GET', '?workflow=other')).body.items).toEqual([])
    expect((await call('GET', '?class=http_5xx&state=open&from=2026-01-01T00:00:00Z')).body.items).toHaveLength(5)
    for (const bad of ['?class=nonsense', '?state=lost', '?from=x', '?cursor=x', '?limit=0']) {
      expect((await call('GET', bad)).status, bad).toBe(422)
    }
  })

  test('are retried once, with another input if wanted', async () => {
    const [plain, edited] = [addLetter(1), addLetter(2)]
    expect(await call('POST', `/${plain}/retry`)).toMatchObject({
      status: 200,
      body: { state: 'retried', input: { n: 1 } },
    })
    expect(await call('POST', `/${plain}/retry`)).toMatchObject({ status: 409, body: { code: 'dead_letter_not_open' } })
    expect(await call('POST', `/${edited}/retry`, { input: null })).toMatchObject({
      status: 200,
      body: { input: null },
    })
    expect((await call('POST', `/${addLetter(3)}/retry`, { input: 'x'.repeat(1_100_000) })).body.code).toBe(
      'input_too_large',
    )
    expect((await call('POST', `/${addLetter(4)}/retry`, { nonsense: 1 })).status).toBe(422)
    expect(await audits()).toEqual([
      ['dead_letter.retried', `dead_letter:${plain}`],
      ['dead_letter.retried', `dead_letter:${edited}`],
    ])
  })

  test('are deleted', async () => {
    const id = addLetter()
    expect((await call('DELETE', `/${id}`)).status).toBe(204)
    expect((await call('POST', `/${id}/retry`)).status).toBe(409)
    expect(await audits()).toEqual([['dead_letter.deleted', `dead_letter:${id}`]])
  })

  test("that are another's, or no letters, are not there", async () => {
    for (const id of [addLetter(0, { projectId: randomUUID() }), randomUUID(), 'x']) {
      for (const [method, path] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/retry'],
      ] as const) {
        expect(await call(method, `/${id}${path}`)).toMatchObject({
          status: 404,
          body: { code: 'dead_letter_not_found' },
        })
      }
    }
  })
})

describe('many at once', () => {
  test('by their ids: each has its outcome', async () => {
    const [one, done] = [addLetter(1), addLetter(2, { state: 'retried' })]
    const foreign = addLetter(3, { projectId: randomUUID() })
    const { body } = await call('POST', '/retry', { ids: [one, done, foreign, 'x', one] })
    expect(body).toMatchObject({
      items: [
        { id: one, outcome: 'retried' },
        { id: done, outcome: 'failed', error: { code: 'dead_letter_not_open' } },
        { id: foreign, outcome: 'failed', error: { code: 'dead_letter_not_found' } },
        { id: 'x', outcome: 'failed', error: { code: 'dead_letter_not_found' } },
      ],
      more: false,
    })
    expect(body.items).toHaveLength(4)
    expect(await audits()).toHaveLength(1)
  })

  test('by a filter: the open ones that match, a thousand a call', async () => {
    for (let n = 0; n < 1_003; n++) addLetter(n)
    const other = addLetter(2_000, { workflow: 'other' })
    const first = await call('POST', '/retry', { filter: { workflow: 'w', class: 'http_5xx' } })
    expect(first.body.items).toHaveLength(1_000)
    expect(first.body.more).toBe(true)
    const second = await call('POST', '/retry', { filter: { workflow: 'w' } })
    expect([second.body.items.length, second.body.more]).toEqual([3, false])
    expect(h.scheduler.letters.get(other)?.state).toBe('open')
    expect(await audits()).toHaveLength(1_003)
  })

  test.each([{}, { ids: [] }, { ids: ['x'], filter: {} }, { filter: { state: 'deleted' } }, { filter: { x: 1 } }])(
    'refuses %j',
    async (body) => {
      expect((await call('POST', '/retry', body)).status).toBe(422)
    },
  )
})
