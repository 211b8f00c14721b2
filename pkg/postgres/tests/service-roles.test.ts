import { randomBytes } from 'node:crypto'
import { type TestDatabase, testDatabase } from '@millrace/testkit'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mayCreateRoles, prepareServiceRoles } from '../src/index.js'

const suffix = randomBytes(4).toString('hex')
const roleOf = (name: string) => `roles_${suffix}_${name}`
let database: TestDatabase

function urlAs(role: string, password: string): string {
  const url = new URL(database.url)
  url.username = role
  url.password = password
  return url.href
}

async function asking(url: string, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    let rows: unknown[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

const roles = ['one', 'two'].map((name) => ({ name: roleOf(name), password: `pw-${name}`, schema: name }))
const shared = { schema: 'events', readOnly: ['schema_migrations'] }
const one = () => urlAs(roleOf('one'), 'pw-one')
const two = () => urlAs(roleOf('two'), 'pw-two')

beforeAll(async () => {
  database = await testDatabase()
  await asking(
    database.url,
    'create schema events',
    'create table events.log (id bigint generated always as identity primary key, data text)',
    'create table events.schema_migrations (version int)',
    // As an installation from before: the owner of everything is the administrator.
    'create schema one',
    "create type one.colour as enum ('red')",
    'create table one.things (id bigint generated always as identity primary key, colour one.colour)',
    'create view one.seen as select * from one.things',
    'create sequence one.counter',
    `create function one.answer() returns int language sql as 'select 42'`,
  )
})

afterAll(async () => {
  const made = [...roles.map(({ name }) => name), roleOf('admin')]
  const drops = made.flatMap((name) => [`drop owned by ${name} cascade`, `drop role ${name}`])
  await asking(database.url, ...drops)
  await database.drop()
})

describe('roles of services', () => {
  test('are made by an account that may create roles and is no superuser, twice with the same end', async () => {
    const admin = roleOf('admin')
    await asking(
      database.url,
      `create role ${admin} login createrole password 'pw'`,
      `grant create on database "${new URL(database.url).pathname.slice(1)}" to ${admin} with grant option`,
      `alter schema one owner to ${admin}`,
      `alter schema events owner to ${admin}`,
      ...['table one.things', 'view one.seen', 'sequence one.counter', 'function one.answer()', 'type one.colour'].map(
        (object) => `alter ${object} owner to ${admin}`,
      ),
      `alter table events.log owner to ${admin}`,
      `alter table events.schema_migrations owner to ${admin}`,
    )
    const adminUrl = urlAs(admin, 'pw')
    expect(await mayCreateRoles(adminUrl)).toBe(true)
    await prepareServiceRoles({ adminUrl, roles, shared })
    await prepareServiceRoles({ adminUrl, roles, shared })
    expect(await mayCreateRoles(one())).toBe(false)
  })

  test('own their schema and what was in it, and may change it', async () => {
    await asking(one(), `insert into one.things (colour) values ('red')`, 'alter table one.things add column note text')
    await asking(one(), 'drop view one.seen', 'drop function one.answer()', 'create table one.more (id int)')
    expect(await asking(one(), `select nextval('one.counter')::int as n`)).toEqual([{ n: 1 }])
    await asking(two(), 'create table two.things (id int)')
  })

  test.each([
    ['another’s table', 'select * from one.things'],
    ['another’s schema', 'create table one.mine (id int)'],
    ['a schema of its own', 'create schema mine'],
    ['another’s name', `set role ${roleOf('one')}`],
    ['the shared schema’s tables', 'drop table events.log'],
    ['new tables in the shared schema', 'create table events.mine (id int)'],
    ['the shared schema’s migrations', 'insert into events.schema_migrations values (1)'],
    ['files of the server', `select pg_read_file('/etc/passwd')`],
    ['programs of the server', `copy (select 1) to program 'true'`],
  ])('do not reach %s', async (_name, statement) => {
    await expect(asking(two(), statement)).rejects.toMatchObject({ code: '42501' })
  })

  test('share the log', async () => {
    await asking(one(), `insert into events.log (data) values ('from one')`)
    expect(await asking(two(), 'select data from events.log')).toEqual([{ data: 'from one' }])
    await asking(two(), 'select last_value from events.log_id_seq', 'delete from events.log')
  })
})
