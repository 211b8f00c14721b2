import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@millrace/embedded-postgres'
import { TEST_DATABASE_SERVER } from './test-database.js'

const settings = {
  fsync: 'off',
  synchronous_commit: 'on',
  full_page_writes: 'off',
  max_connections: '400',
  shared_buffers: '64MB',
}

/** One server for the whole run; each test file takes a database of its own from it. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env[TEST_DATABASE_SERVER] !== undefined) return undefined
  const directory = await mkdtemp(join(tmpdir(), 'millrace-test-'))
  const server = await startPostgres({ dataDir: directory, settings })
  process.env[TEST_DATABASE_SERVER] = server.url
  return async () => {
    await server.stop()
    await rm(directory, { recursive: true, force: true })
  }
}
