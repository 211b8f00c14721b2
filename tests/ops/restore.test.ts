import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type HttpSink, httpSink, type TestDatabase, testDatabase } from '@millrace/testkit'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Client } from '../support/client.js'
import { expectKeptData, makeKeptData } from '../support/kept-data.js'
import { pathWithPostgresTools } from '../support/postgres-tools.js'
import { Standalone } from '../support/standalone.js'

const admin = { email: 'admin@millrace.local', password: 'a-password-for-tests-only' }
const made: Standalone[] = []
let sink: HttpSink
beforeAll(async () => {
  sink = await httpSink()
})
afterAll(async () => {
  await Promise.all(made.map((one) => one.remove()))
  await sink?.close()
})

async function place(env: Record<string, string> = {}): Promise<Standalone> {
  sink.requests.length = 0
  const standalone = await Standalone.make({
    MILLRACE_ADMIN_EMAIL: admin.email,
    MILLRACE_ADMIN_PASSWORD: admin.password,
    MILLRACE_EGRESS_ALLOW: `127.0.0.1:${sink.port}`,
    ...env,
  })
  made.push(standalone)
  return standalone
}

async function signIn(standalone: Standalone): Promise<Client> {
  const client = new Client(`http://127.0.0.1:${standalone.port}`)
  const { accessToken } = await client.want<{ accessToken: string }>(200, 'POST', '/api/v1/auth/login', { body: admin })
  return client.as(accessToken)
}

test('a copy of the data dir in an empty place has runs, history, secrets and artifacts, and what was under way goes on', async () => {
  const first = await place()
  await first.start()
  const kept = await makeKeptData(await signIn(first), sink)
  expect(await first.stop()).toBe(0)

  const second = await place()
  // With its owners: PostgreSQL runs as an account of its own where Millrace is started by root.
  execFileSync('cp', ['-a', first.dataDir, second.dataDir])
  await second.start()
  await expectKeptData(await signIn(second), sink, kept)
})

/** A tool of PostgreSQL's, with the password where no other process sees it. */
function run(tool: string, databaseUrl: string, ...args: string[]): void {
  const url = new URL(databaseUrl)
  const PGPASSWORD = decodeURIComponent(url.password)
  url.password = ''
  execFileSync(tool, [`--dbname=${url.href}`, ...args], {
    env: { ...process.env, PATH: pathWithPostgresTools(), PGPASSWORD },
    stdio: 'inherit',
  })
}

/** Of a data dir whose database is elsewhere, all that cannot be made anew. */
function copyRest(from: string, to: string): void {
  mkdirSync(to, { mode: 0o700 })
  for (const name of ['secrets.json', 'artifacts']) cpSync(join(from, name), join(to, name), { recursive: true })
}

test('a dump of DATABASE_URL, taken while it runs, and the rest of the data dir beside it are as much', async () => {
  const databases: TestDatabase[] = await Promise.all([testDatabase(), testDatabase()])
  const [before, after] = databases as [TestDatabase, TestDatabase]
  const first = await place({ DATABASE_URL: before.url })
  const second = await place({ DATABASE_URL: after.url })
  try {
    await first.start()
    const kept = await makeKeptData(await signIn(first), sink)
    const dump = join(first.dataDir, 'database.dump')
    run('pg_dump', before.url, '--format=custom', `--file=${dump}`)
    copyRest(first.dataDir, second.dataDir)
    // The machine is lost.
    await first.crash()
    sink.requests.length = 0

    run('pg_restore', after.url, '--no-owner', '--no-privileges', '--exit-on-error', '--single-transaction', dump)
    await second.start()
    await expectKeptData(await signIn(second), sink, kept)
  } finally {
    await Promise.all([first.remove(), second.remove()])
    await Promise.all(databases.map((each) => each.drop()))
  }
})
