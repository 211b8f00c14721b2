import { randomUUID } from 'node:crypto'
import { conflict } from '@millrace/errors'
import { withTransaction } from '@millrace/postgres'
import { waitFor } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { purgeExpiredKeys, type RouteRequest } from '../src/index.js'
import { type CallOptions, type Harness, type KeyStore, keyStore, startHarness, testRoute } from './harness.js'

let store: KeyStore
let harness: Harness
let made = 0
let release: (() => void) | undefined
let failing = 0

const caller = { projectId: randomUUID(), subject: 'user:one' }
const body = { schema: { type: 'object' }, required: false } as const

beforeAll(async () => {
  store = await keyStore()
  const post = (operationId: string, path: string) =>
    testRoute({ operationId, method: 'POST', path, idempotent: true, body, access: 'operator' })
  harness = await startHarness({
    pool: store.pool,
    routes: [
      post('make', '/things'),
      post('slow', '/slow'),
      post('flaky', '/flaky'),
      post('careful', '/careful'),
      post('empty', '/empty'),
    ],
    handlers: {
      make: () => {
        made++
        return Promise.resolve({
          status: 201,
          body: { id: made, secret: 'whsec_once', nested: { secret: 'stays', nul: '\0' } },
          headers: { location: `/things/${made}` },
          once: ['secret'],
        })
      },
      slow: () =>
        new Promise((resolve) => {
          release = () => resolve({ status: 200, body: { slow: true } })
        }),
      flaky: () => {
        failing++
        if (failing === 1) throw conflict('thing_exists', 'It exists.')
        return Promise.resolve({ status: 201, body: { failing } })
      },
      careful,
      empty: () => Promise.resolve({ status: 204 }),
    },
  })
  await store.pool.query('create table careful (n int)')
})
afterAll(async () => {
  await harness.server.stop()
  await store.drop()
})

function takeRelease(): (() => void) | undefined {
  const taken = release
  release = undefined
  return taken
}

/** Commits work and answer together; `crash` stands for a process that dies right after the commit. */
async function careful(req: RouteRequest) {
  const { crash, wait } = (req.body ?? {}) as { crash?: boolean; wait?: boolean }
  const reply = { status: 201, body: { careful: true, token: 'once' }, once: ['token'] }
  if (wait)
    await new Promise<void>((resolve) => {
      release = resolve
    })
  await withTransaction(store.pool, async (tx) => {
    await tx.query('insert into careful values (1)')
    await req.settle(tx, reply)
  })
  if (crash) throw new Error('gone before the answer was sent')
  return reply
}

const post = (path: string, key: string | undefined, json: unknown = {}, as: CallOptions['as'] = caller) =>
  harness.call('POST', path, { as, json, ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }) })

describe('an Idempotency-Key', () => {
  it('gives the first answer again, without what is shown once', async () => {
    const before = made
    const first = await post('/things', 'k1', { a: 1 })
    expect(first.status).toBe(201)
    expect(first.json.secret).toBe('whsec_once')
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    const again = await post('/things', 'k1', { a: 1 })
    expect(again.status).toBe(201)
    expect(again.headers['idempotency-replayed']).toBe('true')
    expect(again.headers.location).toBe(first.headers.location)
    expect(again.json).toEqual({ id: first.json.id, nested: { secret: 'stays', nul: '\0' } })
    expect(made).toBe(before + 1)
  })

  it('with another body, or at another place, is a conflict', async () => {
    await post('/things', 'k2', { a: 1 })
    expect((await post('/things', 'k2', { a: 2 })).json).toMatchObject({ status: 409, code: 'idempotency_conflict' })
    expect((await post('/careful', 'k2', { a: 1 })).json).toMatchObject({ status: 409, code: 'idempotency_conflict' })
  })

  it('belongs to its caller and project', async () => {
    const one = await post('/things', 'k3')
    const other = await post('/things', 'k3', {}, { ...caller, subject: 'user:two' })
    const elsewhere = await post('/things', 'k3', {}, { ...caller, projectId: randomUUID() })
    expect(new Set([one.json.id, other.json.id, elsewhere.json.id]).size).toBe(3)
  })

  it('still in flight is a conflict of its own, and then replays', async () => {
    const first = post('/slow', 'k4')
    await waitFor(() => release !== undefined)
    expect((await post('/slow', 'k4')).json).toMatchObject({ status: 409, code: 'idempotency_in_progress' })
    expect((await post('/slow', 'k4', { other: 1 })).json).toMatchObject({ code: 'idempotency_conflict' })
    takeRelease()?.()
    expect((await first).status).toBe(200)
    expect((await post('/slow', 'k4')).headers['idempotency-replayed']).toBe('true')
  })

  it('lets exactly one of many at once do the work', async () => {
    const before = made
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('/things', 'k5')))
    expect(made).toBe(before + 1)
    for (const { status } of answers) expect([201, 409]).toContain(status)
  })

  it('is free again after a failure', async () => {
    expect((await post('/flaky', 'k6')).status).toBe(409)
    const second = await post('/flaky', 'k6')
    expect(second.status).toBe(201)
    expect(second.headers['idempotency-replayed']).toBeUndefined()
  })

  it('is forgotten after a day', async () => {
    const first = await post('/things', 'k7', { day: 1 })
    await store.pool.query(`update idempotency_keys set expires_at = now() - interval '1 s' where key = 'k7'`)
    const next = await post('/things', 'k7', { day: 2 })
    expect(next.status).toBe(201)
    expect(next.json.id).not.toBe(first.json.id)
    const { rows } = await store.pool.query(
      `select expires_at > now() + interval '23 h' as fresh from idempotency_keys where key = 'k7'`,
    )
    expect(rows).toEqual([{ fresh: true }])
    await store.pool.query(`update idempotency_keys set expires_at = now() where key = 'k7'`)
    await purgeExpiredKeys(store.pool)
    expect((await store.pool.query(`select 1 from idempotency_keys where key = 'k7'`)).rowCount).toBe(0)
  })

  it('settled with the work survives a crash right after the commit', async () => {
    await store.pool.query('truncate careful')
    expect((await post('/careful', 'k8', { crash: true })).status).toBe(500)
    const again = await post('/careful', 'k8', { crash: true })
    expect(again.status).toBe(201)
    expect(again.json).toEqual({ careful: true })
    expect((await store.pool.query('select 1 from careful')).rowCount).toBe(1)
  })

  it('lost by a slow attempt undoes that attempt’s work', async () => {
    await store.pool.query('truncate careful')
    const slow = post('/careful', 'k9', { wait: true })
    await waitFor(() => release !== undefined)
    const freeSlow = takeRelease()
    await store.pool.query(`update idempotency_keys set locked_until = now() where key = 'k9'`)
    const taken = post('/careful', 'k9', { wait: true })
    await waitFor(() => release !== undefined)
    takeRelease()?.()
    expect((await taken).status).toBe(201)
    freeSlow?.()
    expect((await slow).json).toMatchObject({ status: 409, code: 'idempotency_in_progress' })
    expect((await store.pool.query('select 1 from careful')).rowCount).toBe(1)
  })

  it('keeps an answer without a body', async () => {
    expect((await post('/empty', 'k10')).status).toBe(204)
    const again = await post('/empty', 'k10')
    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([204, '', 'true'])
  })

  it.each(['', 'x'.repeat(256), 'with space'])('must be a key: %j', async (key) => {
    expect((await post('/things', key)).json).toMatchObject({ status: 422, code: 'invalid_idempotency_key' })
  })

  it('may be left out', async () => {
    const before = made
    await post('/things', undefined)
    await post('/things', undefined)
    expect(made).toBe(before + 2)
  })
})
