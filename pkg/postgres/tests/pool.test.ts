import { type TestDatabase, testDatabase } from '@millrace/testkit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createPool,
  isDataError,
  isUniqueViolation,
  type Pool,
  pingPool,
  retryable,
  TransactionAbortedError,
  withTransaction,
} from '../src/index.js'

let database: TestDatabase
let pool: Pool

beforeAll(async () => {
  database = await testDatabase()
  pool = createPool({ connectionString: database.url, schema: 'shop', max: 2, transactionTimeoutMs: 1_000 })
  await pool.query('create schema shop')
  await pool.query('create table items (id int constraint items_pk primary key, n bigint, at timestamptz, doc json)')
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const failure = (work: Promise<unknown>) => work.then(() => undefined).catch((error: unknown) => error)

describe('the pool', () => {
  test('finds tables of its schema without naming it', async () => {
    const { rows } = await pool.query(`select table_schema from information_schema.tables where table_name = 'items'`)
    expect(rows).toEqual([{ table_schema: 'shop' }])
  })

  test('reads bigint as number, times as Date, json as value', async () => {
    const { rows } = await pool.query(
      `select 9007199254740991::bigint as n, array[1, null, 3]::bigint[] as list, '2026-01-02T03:04:05.678Z'::timestamptz as at, '{"a":[1]}'::json as doc`,
    )
    expect(rows).toEqual([
      { n: 9007199254740991, list: [1, null, 3], at: new Date('2026-01-02T03:04:05.678Z'), doc: { a: [1] } },
    ])
  })

  test('bounds transactions, idle ones too', async () => {
    const { rows } = await pool.query(
      `select current_setting('transaction_timeout') as t, current_setting('idle_in_transaction_session_timeout') as i`,
    )
    expect(rows).toEqual([{ t: '1s', i: '10s' }])
  })

  test('refuses a schema name that is more than a name', () => {
    expect(() => createPool({ connectionString: database.url, schema: 'a; drop' })).toThrow(/not a schema name/)
  })

  test('says whether the database answers', async () => {
    expect(await pingPool(pool)).toBe(true)
    const nowhere = createPool({ connectionString: 'postgres://127.0.0.1:1/x', schema: 'shop' })
    expect(await pingPool(nowhere)).toBe(false)
    await nowhere.end()
  })

  test('survives the loss of its connections, also of one in use', async () => {
    const other = createPool({ connectionString: database.url, schema: 'shop', applicationName: 'victim' })
    const held = await other.connect()
    await other.query('select 1')
    await pool.query(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'victim'`)
    expect(retryable(await failure(held.query('select 1')))).toBe(true)
    held.release(true)
    await expect.poll(() => pingPool(other)).toBe(true)
    await other.end()
  })
})

describe('a transaction', () => {
  const count = async () => (await pool.query('select count(*) as n from items')).rows[0].n as number

  test('commits what it did and answers its result', async () => {
    const before = await count()
    const answer = await withTransaction(pool, async (tx) => {
      await tx.query('insert into items (id) values (1)')
      return 'done'
    })
    expect([answer, await count()]).toEqual(['done', before + 1])
  })

  test('leaves nothing when its work throws', async () => {
    const before = await count()
    const work = withTransaction(pool, async (tx) => {
      await tx.query('insert into items (id) values (2)')
      throw new Error('changed my mind')
    })
    await expect(work).rejects.toThrow('changed my mind')
    expect(await count()).toBe(before)
  })

  test('does not report success when a swallowed error aborted it', async () => {
    const work = withTransaction(pool, async (tx) => {
      await tx.query('insert into items (id) values (3)')
      await tx.query('select nonsense').catch(() => undefined)
      return 'fine'
    })
    await expect(work).rejects.toBeInstanceOf(TransactionAbortedError)
  })

  test('gives its connection back, broken or not', async () => {
    for (let i = 0; i < 6; i += 1) {
      await failure(withTransaction(pool, async (tx) => tx.query('select pg_terminate_backend(pg_backend_pid())')))
      await failure(withTransaction(pool, async (tx) => tx.query('select nonsense')))
    }
    expect(await pingPool(pool)).toBe(true)
  })

  test('that stays open too long is ended, and that is worth another try', async () => {
    const error = await failure(withTransaction(pool, async (tx) => tx.query('select pg_sleep(5)')))
    expect(retryable(error)).toBe(true)
  })
})

describe('errors', () => {
  test('a unique violation, by constraint', async () => {
    await pool.query('insert into items (id) values (100)')
    const error = await failure(pool.query('insert into items (id) values (100)'))
    expect([isUniqueViolation(error), isUniqueViolation(error, 'items_pk'), isUniqueViolation(error, 'other')]).toEqual(
      [true, true, false],
    )
    expect([isDataError(error), retryable(error)]).toEqual([true, false])
  })

  test('data that cannot be stored', async () => {
    const error = await failure(pool.query('insert into items (id, n) values (101, $1)', ['not a number']))
    expect([isDataError(error), retryable(error)]).toEqual([true, false])
    expect(isDataError(await failure(pool.query('select nonsense')))).toBe(false)
  })

  test('a deadlock', async () => {
    await pool.query('insert into items (id) values (201), (202)')
    let holding = 0
    let bothHold = () => {}
    const everybodyHolds = new Promise<void>((resolve) => {
      bothHold = resolve
    })
    const lock = (first: number, second: number) =>
      withTransaction(pool, async (tx) => {
        await tx.query(`set local deadlock_timeout = '50ms'`)
        await tx.query('select from items where id = $1 for update', [first])
        holding += 1
        if (holding === 2) bothHold()
        await everybodyHolds
        await tx.query('select from items where id = $1 for update', [second])
      })
    const outcomes = await Promise.allSettled([lock(201, 202), lock(202, 201)])
    const lost = outcomes.find((outcome) => outcome.status === 'rejected')
    expect(retryable(lost?.reason)).toBe(true)
  })

  test('nobody listens, and a cause further down', async () => {
    const nowhere = createPool({ connectionString: 'postgres://127.0.0.1:1/x', schema: 'shop' })
    const error = await failure(nowhere.query('select 1'))
    await nowhere.end()
    expect(retryable(error)).toBe(true)
    expect(retryable(new Error('wrapped', { cause: error }))).toBe(true)
    expect(retryable(new Error('a bug'))).toBe(false)
    expect(retryable(undefined)).toBe(false)
  })
})
