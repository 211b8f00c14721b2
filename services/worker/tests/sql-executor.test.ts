import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { freePort, type TestDatabase, testDatabase, waitFor } from '@millrace/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { effectiveTls, readConnection } from '../src/executors/sql-connection.js'
import { openHarness, startHarness } from './harness.js'
import { outcomeOf } from './outcome.js'

let database: TestDatabase
let harness: Awaited<ReturnType<typeof openHarness>>
let admin: pg.Client
let silent: Server
const sockets: Socket[] = []
beforeAll(async () => {
  database = await testDatabase()
  admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  await admin.query(
    'create table t (id int primary key, name text, parent int references t deferrable initially deferred)',
  )
  silent = createServer((socket) => sockets.push(socket))
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  harness = await openHarness({ concurrency: 8 })
})
afterAll(async () => {
  await harness.close()
  for (const socket of sockets) socket.destroy()
  silent.close()
  await admin.end()
  await database.drop()
})

const sql = (query: string, params?: unknown, lease: object = {}) =>
  outcomeOf(harness, 'sql', { connection: database.url, query, ...(params === undefined ? {} : { params }) }, lease)

describe('a statement', () => {
  it('answers its rows', async () => {
    const { output, lines } = await sql('select $1::int as a, $2::text as b union all select 2, $3', [1, 'x', null])
    expect(output).toEqual({
      rows: [
        { a: 1, b: 'x' },
        { a: 2, b: null },
      ],
      rowCount: 2,
    })
    expect(lines.map(({ message }) => message)).toContain('2 rows')
  })

  it('that writes answers how many it touched, and is committed', async () => {
    const insert = await sql(`insert into t select n, 'n' || n from generate_series(1, 500) n`)
    expect(insert.output).toEqual({ rows: [], rowCount: 500 })
    const update = await sql(`update t set name = 'z' where id <= 2 returning id`)
    expect(update.output).toEqual({ rows: [{ id: 1 }, { id: 2 }], rowCount: 2 })
    expect((await admin.query(`select count(*)::int as n from t where name = 'z'`)).rows).toEqual([{ n: 2 }])
  })

  it('gives values that JSON can carry', async () => {
    const { output } = await sql(`select 9007199254740993 as big, 7::int8 as small, 1.50::numeric as exact,
      '2026-03-01'::date as day, '2026-03-01 10:00:00+02'::timestamptz as at, '\\x00ff'::bytea as bytes,
      '{"a":[1]}'::jsonb as doc, array[1,2] as list, true as yes`)
    expect(output?.rows).toEqual([
      {
        ...{ big: '9007199254740993', small: 7, exact: '1.50', day: '2026-03-01', at: '2026-03-01T08:00:00.000Z' },
        ...{ bytes: 'AP8=', doc: { a: [1] }, list: [1, 2], yes: true },
      },
    ])
  })

  it('takes lists and objects as parameters', async () => {
    const { output } = await sql('select $1::int[] as list, $2::jsonb as doc', [[1, 2], { a: 1 }])
    expect(output?.rows).toEqual([{ list: [1, 2], doc: { a: 1 } }])
  })
})

describe('failure', () => {
  it.each([
    ['selekt 1', 'validation', false],
    ['select 1; drop table t', 'validation', false],
    ['insert into t values (900, null), (900, null)', 'validation', false],
    // Found only at the commit.
    ['insert into t values (901, null, 12345)', 'validation', false],
    [`select 'x'::int`, 'validation', false],
    [`select pg_terminate_backend(pg_backend_pid())`, 'network', true],
    [`do $$ begin raise exception 'no' using errcode = '40001'; end $$`, 'user', true],
  ])('%s is class %s, retryable %s', async (query, errorClass, retryable) => {
    expect((await sql(query)).error).toMatchObject({ class: errorClass, retryable })
  })

  it('a refused login is not tried again, and its password not shown', async () => {
    const url = new URL(database.url)
    url.username = 'nobody_here'
    url.password = 'wrong-password-here'
    const { error, lines } = await outcomeOf(harness, 'sql', { connection: url.href, query: 'select 1' })
    expect(error).toMatchObject({ class: 'non_retryable' })
    expect(JSON.stringify([error, lines])).not.toContain('wrong-password-here')
  })

  it('nobody there is class network', async () => {
    const connection = `postgres://u:p@127.0.0.1:${await freePort()}/d`
    expect((await outcomeOf(harness, 'sql', { connection, query: 'select 1' })).error).toMatchObject({
      class: 'network',
    })
  })

  it('a server that does not speak ends with the attempt', async () => {
    const { port } = silent.address() as { port: number }
    const connection = `postgres://u:p@127.0.0.1:${port}/d`
    const { error } = await outcomeOf(harness, 'sql', { connection, query: 'select 1' }, { timeoutMs: 300 })
    expect(error).toMatchObject({ class: 'timeout' })
  })

  it.each([
    ['mysql://u:p@h/d'],
    ['nonsense'],
    ['postgres://u:p@h/'],
    ['postgres://h/d'],
    ['postgres://u:p@%2Fvar%2Frun/d'],
    ['postgres://u:p@h/d?host=/var/run/postgresql'],
    ['postgres://u:p@h/d?sslmode=require&sslrootcert=/etc/passwd'],
    ['postgres://u:p@h/d?sslmode=odd'],
  ])('%s is refused, class validation', async (connection) => {
    expect((await outcomeOf(harness, 'sql', { connection, query: 'select 1' })).error).toMatchObject({
      class: 'validation',
    })
  })

  it.each([['127.0.0.1'], ['localhost'], ['127.1'], ['[::1]'], ['[::ffff:127.0.0.1]'], ['169.254.169.254']])(
    'the guard stands before %s',
    async (host) => {
      const guarded = await startHarness({ egress: { allowPrivate: false, allow: [] } })
      const connection = `postgres://u:p@${host}:5432/d`
      const { error } = await outcomeOf(guarded, 'sql', { connection, query: 'select 1' })
      expect(error).toMatchObject({ class: 'non_retryable', code: 'egress_denied' })
    },
  )
})

describe('TLS', () => {
  const base = 'postgres://u:p@db.example/d'

  it.each([
    [base, '93.184.215.14', 'verified'],
    [base, '10.0.0.7', 'verified'],
    [base, '2606:4700::1', 'verified'],
    [base, '127.0.0.1', 'off'],
    [base, '::1', 'off'],
    [`${base}?sslmode=disable`, '93.184.215.14', 'off'],
    [`${base}?sslmode=no-verify`, '93.184.215.14', 'unverified'],
    [`${base}?sslmode=require`, '127.0.0.1', 'verified'],
    [`${base}?sslmode=verify-full`, '93.184.215.14', 'verified'],
  ])('%s at %s is %s', (connection, address, expected) => {
    expect(effectiveTls(readConnection(connection).tls, address)).toBe(expected)
  })

  it('says what to do when the server has none, and has sent it nothing but the question', async () => {
    const received: Buffer[] = []
    const plain = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.on('data', (chunk) => {
        received.push(chunk)
        socket.write('N')
      })
    })
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve))
    const { port } = plain.address() as AddressInfo
    const connection = `postgres://user:password-0451@127.0.0.1:${port}/d?sslmode=require`
    const { error } = await outcomeOf(harness, 'sql', { connection, query: 'select 1' })
    plain.close()
    expect(error).toMatchObject({ class: 'non_retryable', code: 'tls_required' })
    expect(Buffer.concat(received).toString('hex')).toBe('0000000804d2162f')
  })
})

describe('bounds', () => {
  it.each([
    ['rows', 'select n from generate_series(1, 1000000) n'],
    ['bytes', `select repeat('x', 1000000) as x from generate_series(1, 100) n`],
    ['one value', `select repeat('x', 60000000) as x`],
  ])('too many %s are cut off, and the statement with them', async (_what, query) => {
    expect((await sql(query)).error).toMatchObject({ class: 'validation', code: 'output_invalid' })
    await waitFor(async () => (await running('generate_series')) === 0)
  })

  const running = async (part: string) => {
    const { rows } = await admin.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where application_name = 'millrace' and state = 'active' and query like '%' || $1 || '%'`,
      [part],
    )
    return rows[0]?.n
  }

  it('a cancel stops the statement on the server', async () => {
    const inputJson = JSON.stringify({ connection: database.url, query: 'select pg_sleep(300)' })
    const [id] = harness.dispatch.enqueue({ uses: 'sql', inputJson })
    await waitFor(async () => (await running('pg_sleep(300)')) === 1)
    harness.dispatch.cancel(id)
    await waitFor(() => harness.dispatch.result(id))
    await waitFor(async () => (await running('pg_sleep(300)')) === 0)
  })

  it('a time limit is the statement’s too', async () => {
    const { error } = await sql('select pg_sleep(300)', [], { timeoutMs: 400 })
    expect(error).toMatchObject({ class: 'timeout' })
    await waitFor(async () => (await running('pg_sleep(300)')) === 0)
  })
})
