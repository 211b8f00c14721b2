import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import type { Identity } from '@millrace/identity'
import { createPool, type Pool } from '@millrace/postgres'
import { defineRoute, type Route } from '@millrace/routes'
import {
  type IdentityAuthority,
  type TestDatabase,
  testDatabase,
  testIdentityAuthority,
  testLogger,
} from '@millrace/testkit'
import type { Express } from 'express'
import {
  createHttpServer,
  type HttpServer,
  idempotencyMigration,
  type Readiness,
  type RouteHandler,
  type StreamRecheck,
} from '../src/index.js'

export type RoutePart = Partial<Route> & Pick<Route, 'operationId' | 'path'>

export const testRoute = (part: RoutePart): Route =>
  defineRoute({
    service: 'workflow',
    method: 'GET',
    access: 'viewer',
    summary: 'test',
    tag: 'test',
    responses: { 200: { description: 'ok' } },
    ...part,
  })

export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any
}

export interface Harness {
  port: number
  authority: IdentityAuthority
  server: HttpServer
  /** Node's own client, so that headers, paths and bodies go out exactly as given. */
  call(method: string, path: string, options?: CallOptions): Promise<Answer>
}

export interface CallOptions {
  as?: Partial<Identity> | null
  headers?: Record<string, string>
  body?: string | Buffer | undefined
  json?: unknown
}

export interface HarnessOptions {
  routes: Route[]
  handlers: Record<string, RouteHandler>
  pool?: Pool
  readiness?: () => Promise<Readiness>
  drainMs?: number
  /** Undefined: none. */
  recheck?: StreamRecheck | undefined
  extend?: (app: Express) => void
}

export async function startHarness(options: HarnessOptions): Promise<Harness> {
  const authority = testIdentityAuthority()
  const server = createHttpServer({
    service: 'workflow',
    routes: options.routes,
    handlers: options.handlers,
    verifier: authority.strictVerifier,
    logger: testLogger,
    readiness: options.readiness ?? (() => Promise.resolve({ ok: true, dependencies: { postgres: 'up' } })),
    ...recheckOf(options, authority),
    ...(options.pool ? { idempotency: { pool: options.pool } } : {}),
    ...(options.extend ? { extend: options.extend } : {}),
    ...(options.drainMs === undefined ? {} : { drainMs: options.drainMs }),
  })
  const port = await server.start('127.0.0.1', 0)
  return { port, authority, server, call: (method, path, call) => send(port, authority, method, path, call ?? {}) }
}

/** Unless told otherwise, every credential stays good. */
function recheckOf(options: HarnessOptions, authority: IdentityAuthority): { recheck?: StreamRecheck } {
  if (!('recheck' in options)) return { recheck: { validateToken: () => Promise.resolve(authority.identity()) } }
  return options.recheck ? { recheck: options.recheck } : {}
}

/** The identity of one request to the harness. */
export const identify = (authority: IdentityAuthority, method: string, target: string, as: Partial<Identity> = {}) => ({
  'x-millrace-identity': authority.identityHeader(as, { service: 'workflow', method, target }),
})

function send(
  port: number,
  authority: IdentityAuthority,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Answer> {
  const body = options.json === undefined ? options.body : JSON.stringify(options.json)
  const headers: Record<string, string> = {
    ...(options.as === null ? {} : identify(authority, method, path, options.as)),
    ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
    ...options.headers,
  }
  return new Promise((resolve, reject) => {
    const req = httpRequest({ host: '127.0.0.1', port, method, path, headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('error', reject)
      res.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = /json$/.test(res.headers['content-type'] ?? '')
        const json = isJson && text !== '' ? JSON.parse(text) : undefined
        resolve({ status: res.statusCode ?? 0, headers: res.headers, text, json })
      })
    })
    req.on('error', reject)
    req.end(body)
  })
}

export interface KeyStore {
  pool: Pool
  drop(): Promise<void>
}

export async function keyStore(): Promise<KeyStore> {
  const database: TestDatabase = await testDatabase()
  const pool = createPool({ connectionString: database.url, schema: 'workflow', max: 5 })
  await pool.query('create schema workflow')
  await pool.query(idempotencyMigration)
  return {
    pool,
    async drop() {
      await pool.end()
      await database.drop()
    },
  }
}
