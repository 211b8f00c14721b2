import { randomBytes } from 'node:crypto'
import pg from 'pg'

export const TEST_DATABASE_SERVER = 'MILLRACE_TEST_DATABASE_SERVER'

export interface TestDatabase {
  url: string
  drop(): Promise<void>
}

function serverUrl(): string {
  const url = process.env[TEST_DATABASE_SERVER]
  if (url === undefined) {
    throw new Error('no test database server: run vitest from the repository root, whose global setup starts one')
  }
  return url
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl() })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

/** A fresh, empty database of its own; drop it in `afterAll`. Dropping ends connections that are still open. */
export async function testDatabase(): Promise<TestDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // template0 cannot be connected to, so no other session can make the copy fail.
  await onServer(`create database ${name} template template0`)
  const url = new URL(serverUrl())
  url.pathname = `/${name}`
  return { url: url.href, drop: () => onServer(`drop database if exists ${name} with (force)`) }
}
