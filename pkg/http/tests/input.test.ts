import { gzipSync } from 'node:zlib'
import { schema } from '@millrace/routes'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeCursor, encodeCursor, parseLimit, type RouteRequest } from '../src/index.js'
import { type Answer, type Harness, identify, startHarness, testRoute } from './harness.js'

let harness: Harness
const echo = ({ body, query, contentType, params }: RouteRequest) =>
  Promise.resolve({
    status: 200,
    body: { body: Buffer.isBuffer(body) ? { bytes: body.byteLength } : body, query, contentType, params },
  })

beforeAll(async () => {
  const json = schema.input(
    {
      name: schema.text(5),
      count: schema.integer(0, 10),
      labels: { type: 'object', additionalProperties: schema.text(10) },
      input: schema.userJson,
      nested: { oneOf: [schema.input({ free: schema.userJson }), schema.input({ strict: schema.text() })] },
    },
    ['name'],
  )
  harness = await startHarness({
    routes: [
      testRoute({ operationId: 'json', method: 'POST', path: '/json', body: { schema: json } }),
      testRoute({
        operationId: 'optional',
        method: 'POST',
        path: '/optional',
        body: { schema: json, required: false },
      }),
      testRoute({ operationId: 'small', method: 'POST', path: '/small', body: { schema: json, maxBytes: 64 } }),
      testRoute({
        operationId: 'yaml',
        method: 'POST',
        path: '/yaml',
        body: { contentTypes: ['application/json', 'application/yaml', 'application/zip'] },
      }),
      testRoute({
        operationId: 'list',
        path: '/list',
        list: true,
        query: {
          paused: schema.boolean,
          since: schema.time,
          status: schema.list(schema.oneOf('a', 'b')),
          q: schema.text(5),
        },
      }),
      testRoute({ operationId: 'bare', method: 'POST', path: '/bare' }),
      testRoute({ operationId: 'binary', method: 'PUT', path: '/binary', stream: 'binary', body: { binary: true } }),
    ],
    handlers: {
      json: echo,
      optional: echo,
      small: echo,
      yaml: echo,
      list: echo,
      bare: echo,
      binary: async ({ raw }) => {
        let bytes = 0
        for await (const chunk of raw.req) bytes += (chunk as Buffer).byteLength
        return { status: 200, body: { bytes } }
      },
    },
  })
})
afterAll(() => harness.server.stop())

const post = (path: string, body: string | Buffer, type = 'application/json'): Promise<Answer> =>
  harness.call('POST', path, { body, headers: { 'content-type': type } })

const codesOf = (answer: Answer) =>
  answer.json.errors.map((error: { path: string; code: string }) => [error.path, error.code])

describe('a body', () => {
  it('is parsed and given to the handler', async () => {
    const answer = await post('/json', '{"name":"a","input":{"x":[1,null]}}', 'Application/JSON; charset="UTF-8"')
    expect(answer.json.body).toEqual({ name: 'a', input: { x: [1, null] } })
    expect(answer.json.contentType).toBe('application/json')
  })

  it.each([
    ['not JSON', '{"name":', 400, 'malformed_json'],
    ['JSON with a comment', '{"name":"a"} // x', 400, 'malformed_json'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'malformed_body'],
    ['empty', '', 400, 'body_required'],
    ['null', 'null', 422, 'invalid_request'],
    ['a list', '[]', 422, 'invalid_request'],
    ['a NUL byte', '\0', 400, 'malformed_json'],
    ['deeply nested', `{"name":"a","input":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, 422, 'too_deep'],
    ['deeply nested and broken', '['.repeat(1_000_000), 422, 'too_deep'],
  ])('that is %s is refused', async (_name, body, status, code) => {
    const answer = await post('/json', body)
    expect(answer.json).toMatchObject({ status, code })
  })

  it('names every fault and its place', async () => {
    const answer = await post('/json', '{"name":"too long","count":11,"labels":{"a":1},"zzz":1}')
    expect(answer.status).toBe(422)
    expect(codesOf(answer).toSorted()).toEqual([
      ['/count', 'out_of_range'],
      ['/labels/a', 'wrong_type'],
      ['/name', 'too_long'],
      ['/zzz', 'unknown_field'],
    ])
    expect(codesOf(await post('/json', '{}'))).toEqual([['/name', 'required']])
  })

  it('does not take brackets inside strings for nesting', async () => {
    expect((await post('/json', JSON.stringify({ name: 'a', input: '[{"\\"['.repeat(1000) }))).status).toBe(200)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/yaml', 'application/json; charset=utf-16'])(
    'of type %s is refused',
    async (type) => {
      expect((await post('/json', '{"name":"a"}', type)).status).toBe(415)
    },
  )

  it('without a type is refused', async () => {
    expect((await harness.call('POST', '/json', { body: '{"name":"a"}' })).status).toBe(415)
  })

  it('may be left out where it is optional, and is ignored where there is none', async () => {
    expect((await harness.call('POST', '/optional')).json.body).toBeUndefined()
    expect((await post('/optional', '{"nope":1}')).status).toBe(422)
    expect((await post('/bare', 'whatever', 'text/plain')).status).toBe(200)
  })

  it('over the limit is refused, by its length or as it comes', async () => {
    const large = JSON.stringify({ name: 'a', input: 'x'.repeat(100) })
    expect((await post('/small', large)).json).toMatchObject({ status: 413, code: 'body_too_large' })
    const headers = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
    const url = `http://127.0.0.1:${harness.port}/small`
    const chunked = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': headers['content-type'], ...identify(harness.authority, 'POST', '/small') },
      body: new Blob([large]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(chunked.status).toBe(413)
    expect((await post('/json', `{"name":"a","input":"${'x'.repeat(8 * 1024 * 1024)}"}`)).status).toBe(413)
  })

  it('is measured after it was unpacked', async () => {
    const bomb = gzipSync(JSON.stringify({ name: 'a', input: 'x'.repeat(20 * 1024 * 1024) }))
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    expect((await harness.call('POST', '/json', { body: bomb, headers })).status).toBe(413)
    const odd = { ...headers, 'content-encoding': 'lzma' }
    expect((await harness.call('POST', '/json', { body: '{"name":"a"}', headers: odd })).status).toBe(415)
    const broken = await harness.call('POST', '/json', { body: 'not gzip', headers })
    expect(broken.json).toMatchObject({ status: 400, code: 'malformed_body' })
  })

  it('holds no NUL but where the JSON is the user’s own', async () => {
    expect(codesOf(await post('/json', '{"name":"a\\u0000"}'))).toEqual([['/name', 'invalid_character']])
    expect(codesOf(await post('/json', '{"name":"a","labels":{"k\\u0000":"v"}}'))).toEqual([
      ['/labels/k\\0', 'invalid_name'],
    ])
    expect((await post('/json', '{"name":"a","input":{"x":["\\u0000"]}}')).json.body.input).toEqual({ x: ['\0'] })
    expect((await post('/json', '{"name":"a","nested":{"free":"\\u0000"}}')).status).toBe(200)
    expect((await post('/json', '{"name":"a","nested":{"strict":"\\u0000"}}')).status).toBe(422)
  })

  it('cannot reach a prototype', async () => {
    for (const name of ['__proto__', '\\u005f_proto__']) {
      expect((await post('/json', `{"name":"a","labels":{"${name}":"x"}}`)).status).toBe(422)
      expect((await post('/json', `{"${name}":{"name":"a"}}`)).status).toBe(422)
    }
    expect((await post('/json', '{"name":"a","labels":{"constructor":"x"}}')).status).toBe(200)
    expect((await post('/json', '{"constructor":{"prototype":{"polluted":1}}}')).status).toBe(422)
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
    const own = await post('/json', '{"name":"a","input":{"__proto__":{"polluted":1}}}')
    expect(own.text).toContain('"__proto__"')
  })

  it('in another format reaches the handler as text, or as bytes', async () => {
    const yaml = await post('/yaml', 'name: a\n', 'application/yaml; charset=utf-8')
    expect(yaml.json).toMatchObject({ body: 'name: a\n', contentType: 'application/yaml' })
    expect((await post('/yaml', '{"broken', 'application/json')).json.body).toBe('{"broken')
    expect((await post('/yaml', Buffer.from([0xff, 0]), 'application/zip')).json.body).toEqual({ bytes: 2 })
    expect((await post('/yaml', Buffer.from([0xff]), 'application/yaml')).status).toBe(400)
    expect((await post('/yaml', 'a: \0', 'application/yaml')).status).toBe(422)
  })

  it('of a binary route is the handler’s to read, whatever its size', async () => {
    const answer = await harness.call('PUT', '/binary', { body: Buffer.alloc(9 * 1024 * 1024) })
    expect(answer.json.bytes).toBe(9 * 1024 * 1024)
  })
})

describe('a query', () => {
  const list = (search: string) => harness.call('GET', `/list?${search}`)

  it('is coerced, and holds only what the route declares', async () => {
    const answer = await list('paused=true&status=a&q=x&limit=7')
    expect(answer.json.query).toEqual({ paused: true, status: ['a'], q: 'x', limit: 7 })
    expect((await list('status=a&status=b')).json.query.status).toEqual(['a', 'b'])
  })

  it('has a limit of 50 unless told, from 1 to 200', async () => {
    expect((await list('')).json.query.limit).toBe(50)
    expect((await list('limit=1')).status).toBe(200)
    expect((await list('limit=200')).status).toBe(200)
    for (const bad of ['0', '201', '-1', 'abc', '', '1.5', '1e400', 'null', '5&limit=6']) {
      const answer = await list(`limit=${bad}`)
      expect(answer.status, bad).toBe(422)
      expect(answer.json.errors[0].path).toBe('/limit')
    }
  })

  it.each([
    'paused=maybe',
    'since=yesterday',
    'since=2026-02-30T00:00:00Z',
    'status=c',
    'q=toolong',
    'q=a&q=b',
    'cursor=',
  ])('refuses %s', async (search) => {
    expect((await list(search)).status).toBe(422)
  })

  it('takes several values of a list, repeated or separated by commas', async () => {
    expect((await list('status=a,b&status=a')).json.query.status).toEqual(['a', 'b', 'a'])
  })

  it('refuses parameters that the route does not have, by name, at most a hundred of them', async () => {
    const refused = await list('q=x&other=1&colour=2')
    expect([refused.status, refused.json.code]).toEqual([422, 'unknown_parameter'])
    expect(refused.json.errors.map(({ path }: { path: string }) => path)).toEqual(['/other', '/colour'])
    const many = await list(Array.from({ length: 300 }, (_, i) => `p${i}=1`).join('&'))
    expect(many.json.errors).toHaveLength(100)
  })

  it('does not stumble over names that objects inherit', async () => {
    expect((await list('__proto__=1&constructor=2&toString=3')).json.code).toBe('unknown_parameter')
  })
})

describe('a cursor', () => {
  const shape = { at: 'time', id: 'uuid', n: 'integer', s: 'string' } as const
  const position = { at: '2026-01-02T03:04:05.678Z', id: '0193a0b0-0000-7000-8000-000000000000', n: 5, s: 'x' }

  it('comes back as it was given', () => {
    expect(decodeCursor(encodeCursor(position), shape)).toEqual(position)
    expect(decodeCursor(encodeCursor({ anything: 1 }))).toEqual({ anything: 1 })
  })

  it.each([
    ['garbage', '!!!'],
    ['no JSON', Buffer.from('{').toString('base64url')],
    ['a list', Buffer.from('[]').toString('base64url')],
    ['a wrong id', encodeCursor({ ...position, id: "' or 1=1" })],
    ['a wrong time', encodeCursor({ ...position, at: '2026-13-45T99:00:00Z' })],
    ['a wrong number', encodeCursor({ ...position, n: '5' })],
    ['a NUL', encodeCursor({ ...position, s: '\0' })],
    ['a missing part', encodeCursor({})],
    ['an inherited part', encodeCursor({ __proto__: position })],
    ['an endless one', 'a'.repeat(5000)],
  ])('that is %s is refused', (_name, cursor) => {
    expect(() => decodeCursor(cursor, shape)).toThrow(
      expect.objectContaining({ code: 'unprocessable', reason: 'invalid_cursor' }),
    )
  })

  it('goes with a limit that obeys the same rules', () => {
    expect(parseLimit(undefined)).toBe(50)
    expect(parseLimit('200')).toBe(200)
    for (const bad of ['0', 201, 'x', 1.5, Number.NaN, null, '']) expect(() => parseLimit(bad)).toThrow()
  })
})
