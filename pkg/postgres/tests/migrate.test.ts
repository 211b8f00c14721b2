import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestDatabase, testDatabase } from '@millrace/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPool, MigrationError, migrate, type Pool } from '../src/index.js'

let database: TestDatabase
let pool: Pool
let directory: string
let counter = 0
let schema: string

beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

beforeEach(async () => {
  counter += 1
  schema = `migrated_${counter}`
  pool = createPool({ connectionString: database.url, schema })
  directory = await mkdtemp(join(tmpdir(), 'millrace-migrations-'))
})
afterEach(async () => {
  await pool.end()
  await rm(directory, { recursive: true })
})

const write = (name: string, sql: string) => writeFile(join(directory, name), sql)
const run = () => migrate(pool, { schema, directory })

async function tables(): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = $1 and table_name <> 'schema_migrations' order by 1`,
    [schema],
  )
  return rows.map((row) => row.name)
}

describe('applying', () => {
  test('creates the schema and applies in order, once', async () => {
    await write('000002-more.sql', 'alter table a add column n int; create table b (id int);')
    await write('000001-init.sql', 'create table a (id int);')
    await run()
    await run()
    expect(await tables()).toEqual(['a', 'b'])
  })

  test('processes that start together apply each migration once', async () => {
    // Without the lock this insert shows up more than once, or the create fails.
    await write('000001-init.sql', 'create table a (id int); select pg_sleep(0.2); insert into a values (1);')
    const pools = Array.from({ length: 5 }, () => createPool({ connectionString: database.url, schema }))
    await Promise.all(pools.map((each) => migrate(each, { schema, directory })))
    await Promise.all(pools.map((each) => each.end()))
    const { rows } = await pool.query('select count(*) as n from a')
    expect(rows).toEqual([{ n: 1 }])
  })

  test('a later migration is applied on top of earlier ones', async () => {
    await write('000001-init.sql', 'create table a (id int);')
    await run()
    await write('000002-more.sql', 'create table b (id int);')
    await run()
    expect(await tables()).toEqual(['a', 'b'])
  })

  test('a migration that outlasts the pool’s transaction timeout is not cut off', async () => {
    const impatient = createPool({ connectionString: database.url, schema, transactionTimeoutMs: 100 })
    await write('000001-init.sql', 'create table a (id int); select pg_sleep(0.3);')
    await migrate(impatient, { schema, directory })
    await impatient.end()
    expect(await tables()).toEqual(['a'])
  })
})

describe('refusing', () => {
  test('an edited migration, by name', async () => {
    await write('000001-init.sql', 'create table a (id int);')
    await run()
    await write('000001-init.sql', 'create table a (id bigint);')
    await expect(run()).rejects.toThrow(/000001-init\.sql was edited/)
  })

  test('line endings alone are no edit', async () => {
    await write('000001-init.sql', 'create table a\n(id int);\n')
    await run()
    await write('000001-init.sql', 'create table a\r\n(id int);\r\n')
    await run()
  })

  test('a failing migration leaves nothing of itself behind', async () => {
    await write('000001-init.sql', 'create table a (id int);')
    await write('000002-bad.sql', 'create table b (id int); select nonsense;')
    await expect(run()).rejects.toThrow(MigrationError)
    expect(await tables()).toEqual(['a'])
    await write('000002-bad.sql', 'create table b (id int);')
    await run()
    expect(await tables()).toEqual(['a', 'b'])
  })

  test('a missing, a late and a doubled migration', async () => {
    await write('000002-two.sql', 'create table two (id int);')
    await run()
    await write('000001-one.sql', 'create table one (id int);')
    await expect(run()).rejects.toThrow(/higher number/)
    await rm(join(directory, '000001-one.sql'))
    await write('000002-again.sql', 'select 1;')
    await expect(run()).rejects.toThrow(/two migrations have the number 2/)
    await rm(join(directory, '000002-again.sql'))
    await rm(join(directory, '000002-two.sql'))
    await write('000003-three.sql', 'select 1;')
    await expect(run()).rejects.toThrow(/000002-two\.sql is missing/)
  })

  test('a file name that is not a migration’s', async () => {
    await write('init.sql', 'select 1;')
    await expect(run()).rejects.toThrow(/named like/)
  })
})

test('an older release starts on a database that a newer one has migrated', async () => {
  await write('000001-init.sql', 'create table a (id int);')
  await write('000002-new.sql', 'create table b (id int);')
  await run()
  await rm(join(directory, '000002-new.sql'))
  await run()
})
