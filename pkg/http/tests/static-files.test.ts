import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { testIdentityAuthority, testLogger } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHttpServer, createStaticFiles, type HttpServer } from '../src/index.js'
import { testRoute } from './harness.js'

const page = '<!doctype html><title>app</title>'
const script = 'console.log(1)'
let folder: string
let server: HttpServer
let base: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'static-files-'))
  const directory = join(folder, 'dist')
  mkdirSync(join(directory, 'assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.js'), 'secret')
  writeFileSync(join(directory, 'index.html'), page)
  writeFileSync(join(directory, 'icon.svg'), '<svg/>')
  writeFileSync(join(directory, 'assets', 'app-1a2b.js'), script)
  writeFileSync(join(directory, 'assets', 'app-1a2b.js.br'), brotliCompressSync(script))
  writeFileSync(join(directory, 'assets', 'app-1a2b.js.gz'), gzipSync(script))
  const files = createStaticFiles({ directory, headers: { 'content-security-policy': "script-src 'self'" } })
  if (!files) throw new Error('index.html was not found')
  const authority = testIdentityAuthority()
  server = createHttpServer({
    service: 'workflow',
    routes: [testRoute({ operationId: 'x', path: '/api/v1/x', method: 'POST' })],
    handlers: { x: async () => ({ status: 200, body: {} }) },
    verifier: authority.verifier,
    logger: testLogger,
    readiness: async () => ({ ok: true, dependencies: {} }),
    files,
  })
  base = `http://127.0.0.1:${await server.start('127.0.0.1', 0)}`
})

afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(base + path, { method, headers: { 'accept-encoding': 'identity', ...headers } })

describe('a built application', () => {
  it.each(['/', '/runs', '/runs/0198?task=a', '/invitations/abc', '/workflows/order/edit'])(
    'is given at %s',
    async (path) => {
      const answer = await get(path, { accept: 'application/json' })
      expect([answer.status, await answer.text()]).toEqual([200, page])
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(answer.headers.get('cache-control')).toBe('no-cache')
      expect(answer.headers.get('content-security-policy')).toBe("script-src 'self'")
    },
  )

  it('is not sent again to whoever has it', async () => {
    const etag = (await get('/')).headers.get('etag') ?? ''
    expect((await get('/runs', { 'if-none-match': etag })).status).toBe(304)
  })

  it('has files that are kept for long, in the best encoding the reader takes', async () => {
    const br = await get('/assets/app-1a2b.js', { 'accept-encoding': 'gzip, br' })
    expect(br.headers.get('content-encoding')).toBe('br')
    expect(br.headers.get('cache-control')).toContain('immutable')
    expect(await br.text()).toBe(script)
    const refused = await get('/assets/app-1a2b.js', { 'accept-encoding': 'gzip, br;q=0' })
    expect(refused.headers.get('content-encoding')).toBe('gzip')
    const plain = await get('/assets/app-1a2b.js')
    expect([plain.headers.get('content-encoding'), await plain.text()]).toEqual([null, script])
  })

  it.each([
    '/assets/gone.js',
    '/secret.js',
    '/%2e%2e/secret.js',
    '/assets/app-1a2b.js.br',
    '/metrics',
    '/api',
    '/api/v1/y',
    '/API/x',
    '/docs/x',
  ])('has nothing at %s', async (path) => {
    // What the gateway sends carries the caller's address.
    const answer = await get(path, { 'x-forwarded-for': '127.0.0.1' })
    expect(answer.status).toBe(404)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
  })

  it('does not hide a route of the table, and answers reads alone', async () => {
    expect((await get('/api/v1/x')).status).toBe(405)
    expect((await get('/runs', {}, 'POST')).status).toBe(404)
    const head = await get('/runs', {}, 'HEAD')
    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([200, String(page.length), ''])
  })

  it('is absent where nothing was built', () => {
    expect(createStaticFiles({ directory: join(folder, 'nowhere'), headers: {} })).toBeUndefined()
  })
})
