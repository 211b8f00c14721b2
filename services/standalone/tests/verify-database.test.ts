import { testDatabase } from '@millrace/testkit'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyDatabase } from '../src/supervisor/verify-database.js'

let database: { url: string; drop(): Promise<void> }
const role = `stranger_${process.pid}`

async function run(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

function urlWith(change: (url: URL) => void): string {
  const url = new URL(database.url)
  change(url)
  return url.href
}

beforeAll(async () => {
  database = await testDatabase()
  await run(`create role ${role} login password 'known'`)
})

afterAll(async () => {
  await run(`drop owned by ${role}`, `drop role ${role}`)
  await database.drop()
})

test('a sound database passes', async () => {
  await expect(verifyDatabase(database.url)).resolves.toBeUndefined()
})

test('a wrong password is said to be that, and is not repeated', async () => {
  const url = urlWith((parts) => {
    parts.password = 'wr0ng'
  })
  const failure = await verifyDatabase(url).catch((error: Error) => error.message)
  expect(failure).toMatch(/refused the account or its password/)
  expect(failure).not.toContain('wr0ng')
})

test('a database that does not exist is named', async () => {
  const url = urlWith((parts) => {
    parts.pathname = '/nowhere'
  })
  await expect(verifyDatabase(url)).rejects.toThrow(/"nowhere" does not exist.*createdb/)
})

test('an account that may not create schemas gets the grant to run', async () => {
  const url = urlWith((parts) => {
    parts.username = role
    parts.password = 'known'
  })
  await expect(verifyDatabase(url)).rejects.toThrow(new RegExp(`grant create on database .* to "${role}"`))
})
