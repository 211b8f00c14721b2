import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { Harness, type Json } from './support/harness.js'

describe('subscriptions', () => {
  let harness: Harness
  beforeAll(async () => {
    harness = await Harness.create()
  })
  afterAll(() => harness.close())
  afterEach(() => harness.removeSubscriptions())
  const webhook = () => ({ type: 'webhook', url: `${harness.sink.url}/hook` })
  const create = (input: Json, headers: Record<string, string> = {}) =>
    harness.call('POST', '/subscriptions', input, {}, headers)

  it('are created, read, listed, changed and deleted, each change in the audit log', async () => {
    const input = { events: ['workflow.completed'], filter: { workflow: 'a', status: ['failed'] }, channel: webhook() }
    const created = await create(input)
    expect(created.status).toBe(201)
    const { id, secret, ...rest } = created.body as { id: string; secret: string } & Json
    expect(secret).toMatch(/^whsec_/)
    expect(rest).toMatchObject({
      ...input,
      channel: { ...input.channel, headers: {} },
      enabled: true,
      disabledReason: null,
    })
    const read = await harness.call('GET', `/subscriptions/${id}`)
    expect(read).toMatchObject({ status: 200, body: { id, ...rest } })
    expect(JSON.stringify(read.body)).not.toContain('whsec_')
    expect((await harness.call('GET', '/subscriptions')).body).toEqual({ items: [read.body], nextCursor: null })
    const patched = await harness.call('PATCH', `/subscriptions/${id}`, {
      events: ['task.dead-lettered'],
      filter: null,
    })
    expect(patched).toMatchObject({
      status: 200,
      body: { id, events: ['task.dead-lettered'], filter: {}, channel: read.body.channel },
    })
    expect((await harness.call('DELETE', `/subscriptions/${id}`)).status).toBe(204)
    for (const method of ['GET', 'DELETE'])
      expect((await harness.call(method, `/subscriptions/${id}`)).status).toBe(404)
    expect((await harness.call('GET', '/subscriptions')).body.items).toEqual([])
    const actions = (await harness.events('audit.recorded'))
      .filter((entry) => entry.target === `subscription:${id}`)
      .map((entry) => entry.action)
    expect(actions).toEqual(['subscription.created', 'subscription.updated', 'subscription.deleted'])
  })

  it.each(['viewer', 'operator', 'editor', 'owner'] as const)(
    'show their addresses and headers only to who may change them: %s',
    async (role) => {
      const url = `${harness.sink.url}/services/T000/B000/planted-in-the-path?key=planted-in-the-query`
      const kept = { events: ['workflow.completed'] }
      await harness.subscribe({ ...kept, channel: { type: 'slack', url } })
      await harness.subscribe({ ...kept, channel: { type: 'webhook', url, headers: { 'x-tenant': 'planted-tenant' } } })
      const { items } = (await harness.call('GET', '/subscriptions', undefined, { role })).body as { items: Json[] }
      const one = await Promise.all(
        items.map(({ id }) => harness.call('GET', `/subscriptions/${String(id)}`, undefined, { role })),
      )
      expect(one.map(({ body }) => body)).toEqual(items)
      const mayChange = role === 'editor' || role === 'owner'
      expect(JSON.stringify(items).includes('planted')).toBe(mayChange)
      expect(items.map(({ channel }) => (channel as Json).url)).toEqual(
        Array(2).fill(mayChange ? url : `${harness.sink.url}/********`),
      )
    },
  )

  it('of another project are not there', async () => {
    const { id } = await harness.subscribe()
    const test = await harness.call('POST', `/subscriptions/${id}/test`)
    const stranger = { projectId: randomUUID() }
    const calls: [string, string, Json?][] = [
      ['GET', `/subscriptions/${id}`],
      ['PATCH', `/subscriptions/${id}`, { enabled: false }],
      ['DELETE', `/subscriptions/${id}`],
      ['POST', `/subscriptions/${id}/test`],
      ['POST', `/subscriptions/${id}/rotate-secret`],
      ['GET', `/notifications/${String(test.body.id)}`],
      ['POST', `/notifications/${String(test.body.id)}/redeliver`],
    ]
    for (const [method, path, body] of calls) {
      const answer = await harness.call(method, path, body, stranger)
      expect([method, path, answer.status]).toEqual([method, path, 404])
      expect(answer.headers.get('content-type')).toContain('application/problem+json')
    }
    expect((await harness.call('GET', '/subscriptions', undefined, stranger)).body.items).toEqual([])
    expect((await harness.call('GET', '/notifications', undefined, stranger)).body.items).toEqual([])
    expect((await harness.call('GET', `/notifications?subscription=${id}`, undefined, stranger)).body.items).toEqual([])
    expect((await harness.call('GET', `/subscriptions/${id}`)).body.enabled).toBe(true)
    for (const bad of ['not-an-id', randomUUID(), "'", '%00'])
      expect((await harness.call('GET', `/subscriptions/${bad}`)).status).toBeGreaterThanOrEqual(400)
    expect((await harness.call('GET', '/subscriptions/not-an-id')).status).toBe(404)
  })

  it('need their roles', async () => {
    const { id } = await harness.subscribe()
    const input = { events: ['workflow.completed'], channel: webhook() }
    const viewer = { role: 'viewer' } as const
    expect((await harness.call('GET', `/subscriptions/${id}`, undefined, viewer)).status).toBe(200)
    expect((await harness.call('POST', '/subscriptions', input, viewer)).status).toBe(403)
    expect((await harness.call('PATCH', `/subscriptions/${id}`, { enabled: false }, { role: 'operator' })).status).toBe(
      403,
    )
    expect((await harness.call('POST', `/subscriptions/${id}/rotate-secret`, undefined, viewer)).status).toBe(403)
    expect((await harness.call('GET', '/subscriptions', undefined, { role: 'worker' })).status).toBe(403)
    expect((await harness.call('POST', '/subscriptions', input, { role: 'editor' })).status).toBe(201)
    const anonymous = await fetch(`http://127.0.0.1:${harness.service.httpPort}/api/v1/subscriptions`)
    expect(anonymous.status).toBe(401)
  })

  it.each([
    'http://127.0.0.1:9/hook',
    'http://localhost/hook',
    'http://10.0.0.1/hook',
    'http://169.254.169.254/latest/meta-data',
    'http://[::1]/hook',
    'http://[::ffff:10.0.0.1]/hook',
    'http://0.0.0.0/',
    'http://2130706433/',
  ])('refuse the guarded address %s', async (url) => {
    for (const channel of [
      { type: 'webhook', url },
      { type: 'slack', url },
    ]) {
      const answer = await create({ events: ['workflow.completed'], channel })
      expect(answer).toMatchObject({ status: 422, body: { code: 'egress_denied' } })
    }
  })

  it('refuse a guarded address in an update too', async () => {
    const { id } = await harness.subscribe()
    const channel = { type: 'webhook', url: 'http://192.168.0.1/hook' }
    const answer = await harness.call('PATCH', `/subscriptions/${id}`, { channel })
    expect(answer).toMatchObject({ status: 422, body: { code: 'egress_denied' } })
  })

  const badInputs: [string, (base: Json) => unknown][] = [
    ['no body fields', () => ({})],
    ['an array', () => []],
    ['no events', (base) => ({ ...base, events: [] })],
    ['an unknown event', (base) => ({ ...base, events: ['workflow.paused'] })],
    ['an event twice', (base) => ({ ...base, events: ['workflow.completed', 'workflow.completed'] })],
    ['an unknown field', (base) => ({ ...base, colour: 'red' })],
    ['an unknown status', (base) => ({ ...base, filter: { status: ['running'] } })],
    ['an unknown filter', (base) => ({ ...base, filter: { project: 'x' } })],
    ['labels that are no texts', (base) => ({ ...base, filter: { labels: { a: 1 } } })],
    ['an unknown channel', (base) => ({ ...base, channel: { type: 'fax', url: 'https://example.com' } })],
    ['a channel without type', (base) => ({ ...base, channel: { url: 'https://example.com' } })],
    ['a webhook without URL', (base) => ({ ...base, channel: { type: 'webhook' } })],
    ['a URL that is none', (base) => ({ ...base, channel: { type: 'webhook', url: 'nonsense' } })],
    ['a file URL', (base) => ({ ...base, channel: { type: 'webhook', url: 'file:///etc/passwd' } })],
    ['credentials in the URL', (base) => ({ ...base, channel: { type: 'webhook', url: 'https://u:p@example.com/' } })],
    ['a reserved header', (base) => ({ ...base, channel: { ...webhook(), headers: { 'Webhook-Signature': 'x' } } })],
    ['a hop-by-hop header', (base) => ({ ...base, channel: { ...webhook(), headers: { 'transfer-encoding': 'x' } } })],
    ['the host header', (base) => ({ ...base, channel: { ...webhook(), headers: { HOST: 'x' } } })],
    ['a header with a line break', (base) => ({ ...base, channel: { ...webhook(), headers: { 'x-a': 'a\r\nb: c' } } })],
    ['a header name with a line break', (base) => ({ ...base, channel: { ...webhook(), headers: { 'x\r\ny': 'a' } } })],
    ['no recipients', (base) => ({ ...base, channel: { type: 'email', to: [] } })],
    ['a recipient that is none', (base) => ({ ...base, channel: { type: 'email', to: ['a@b.c', 'x\r\nBcc: y@z.w'] } })],
    ['two recipients in one', (base) => ({ ...base, channel: { type: 'email', to: ['a@b.c,d@e.f'] } })],
    [
      'too many recipients',
      (base) => ({ ...base, channel: { type: 'email', to: Array.from({ length: 21 }, (_, n) => `a${n}@b.c`) } }),
    ],
  ]
  it.each(badInputs)('refuse %s', async (_, input) => {
    const answer = await create(input({ events: ['workflow.completed'], channel: webhook() }) as Json)
    expect(answer.status).toBe(422)
    expect(answer.body.code).toMatch(/^[a-z_]+$/)
    expect(answer.body.errors).not.toHaveLength(0)
  })

  it('keep the type of their channel', async () => {
    const { id } = await harness.subscribe()
    const answer = await harness.call('PATCH', `/subscriptions/${id}`, { channel: { type: 'email', to: ['a@b.c'] } })
    expect(answer).toMatchObject({ status: 422, body: { code: 'channel_type_fixed' } })
    const mail = await harness.subscribe({ channel: { type: 'email', to: ['a@b.c'] } })
    expect(mail.secret).toBeUndefined()
    const rotated = await harness.call('POST', `/subscriptions/${mail.id}/rotate-secret`)
    expect(rotated).toMatchObject({ status: 422, body: { code: 'no_secret' } })
  })

  it('are created once for an Idempotency-Key, and the replay does not show the secret', async () => {
    const input = { events: ['workflow.completed'], channel: webhook() }
    const headers = { 'idempotency-key': randomUUID() }
    const first = await create(input, headers)
    const subject = { subject: 'user:fixed', userId: 'fixed' }
    expect(first.status).toBe(201)
    const one = await harness.call('POST', '/subscriptions', input, subject, headers)
    const two = await harness.call('POST', '/subscriptions', input, subject, headers)
    expect(one.body.secret).toMatch(/^whsec_/)
    expect(two.headers.get('idempotency-replayed')).toBe('true')
    expect(two.body.id).toBe(one.body.id)
    expect(two.body.secret).toBeUndefined()
  })

  it('are listed newest first, page by page', async () => {
    const ids: string[] = []
    for (let n = 0; n < 5; n++) ids.unshift((await harness.subscribe()).id)
    const seen: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 3; pages++) {
      const { body } = await harness.call('GET', `/subscriptions?limit=2${cursor}`)
      seen.push(...(body.items as Json[]).map((item) => item.id as string))
      cursor = `&cursor=${String(body.nextCursor)}`
      expect(body.nextCursor === null).toBe(pages === 2)
    }
    expect(seen).toEqual(ids)
    for (const bad of ['limit=0', 'limit=201', 'limit=x', 'cursor=nonsense', 'cursor=e30'])
      expect((await harness.call('GET', `/subscriptions?${bad}`)).status).toBe(422)
    expect((await harness.call('GET', '/notifications?status=lost')).status).toBe(422)
  })
})
