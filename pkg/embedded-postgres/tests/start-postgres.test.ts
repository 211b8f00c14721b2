import { spawn } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type RunningPostgres, type StartPostgresOptions, startPostgres } from '../src/index.js'

const asRoot = process.getuid?.() === 0
let folder: string
let dataDir: string
let running: RunningPostgres[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "millrace pg é '"))
  chmodSync(folder, 0o711)
  dataDir = join(folder, 'data dir')
})

afterEach(async () => {
  await Promise.all(running.map((server) => server.stop()))
  for (const { cluster } of running) {
    if (!cluster.startsWith(folder)) rmSync(cluster, { recursive: true, force: true })
    rmSync(`${cluster}.origin`, { force: true })
  }
  running = []
  rmSync(folder, { recursive: true, force: true })
})

async function start(options: Partial<StartPostgresOptions> = {}): Promise<RunningPostgres> {
  const server = await startPostgres({ dataDir, ...options })
  running.push(server)
  return server
}

async function query(server: RunningPostgres, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function waitUntil(condition: () => boolean): Promise<void> {
  for (let i = 0; i < 500 && !condition(); i++) await sleep(20)
  expect(condition()).toBe(true)
}

test('a new data dir with an awkward name gets a cluster that keeps its data over a restart', async () => {
  const first = await start()
  expect(first.adopted).toBe(false)
  await query(first, 'create table kept as select 42 as answer')
  expect(await query(first, 'show fsync')).toEqual([{ fsync: 'on' }])
  await first.stop()
  expect(first.isAlive()).toBe(false)
  const second = await start()
  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 42 }])
})

test('the password file is private and a wrong password is refused', async () => {
  const server = await start()
  expect(statSync(join(dataDir, 'password')).mode & 0o077).toBe(0)
  const wrong = new pg.Client({ connectionString: server.url.replace(/:[^:@/]+@/, ':wrong@') })
  await expect(wrong.connect()).rejects.toThrow(/password authentication failed/)
})

test('a live postmaster is adopted, and stopped by its adopter', async () => {
  const first = await start()
  const second = await start()
  expect(second).toMatchObject({ adopted: true, pid: first.pid, port: first.port })
  await second.stop()
  expect(first.isAlive()).toBe(false)
})

test('a live postmaster with other settings is replaced', async () => {
  const first = await start()
  const second = await start({ settings: { max_connections: '33' } })
  expect(second.adopted).toBe(false)
  expect(first.isAlive()).toBe(false)
  expect(await query(second, 'show max_connections')).toEqual([{ max_connections: '33' }])
})

test('committed data survives kill -9 of the postmaster, also with a client connected', async () => {
  const first = await start()
  await query(first, 'create table kept as select 7 as answer')
  const busy = new pg.Client({ connectionString: first.url })
  busy.on('error', () => undefined)
  await busy.connect()
  const sleeping = busy.query('select pg_sleep(30)').catch(() => undefined)
  process.kill(first.pid, 'SIGKILL')
  const second = await start()
  expect(second.adopted).toBe(false)
  expect(await query(second, 'select answer from kept')).toEqual([{ answer: 7 }])
  await sleeping
  await busy.end().catch(() => undefined)
})

test('a postmaster.pid whose pid now belongs to a stranger does not stop the start', async () => {
  const first = await start()
  const pidFile = join(first.cluster, 'postmaster.pid')
  const text = readFileSync(pidFile, 'utf8')
  await first.stop()
  const { uid, gid } = statSync(first.cluster)
  // The stranger runs under the same account: PostgreSQL itself would take it for a live postmaster.
  const stranger = spawn('sleep', ['60'], asRoot ? { uid, gid } : {})
  try {
    writeFileSync(pidFile, text.replace(/^\d+/, String(stranger.pid)))
    const second = await start()
    expect(second.adopted).toBe(false)
    expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }])
    expect(stranger.exitCode).toBeNull()
  } finally {
    stranger.kill()
  }
})

test('a taken port is named in the message and leaves no process', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  await expect(startPostgres({ dataDir, port })).rejects.toThrow(new RegExp(`Port ${port} on 127.0.0.1 is taken`))
  await new Promise((resolve) => server.close(resolve))
  const started = await start({ port })
  expect(started.port).toBe(port)
})

test('a cluster of another major version is refused with a remedy', async () => {
  const server = await start()
  await server.stop()
  writeFileSync(join(server.cluster, 'PG_VERSION'), '12\n')
  await expect(startPostgres({ dataDir })).rejects.toThrow(/made by PostgreSQL 12.*Dump it/)
})

test('the owner dying leaves the server to the next start', async () => {
  const script = `import { startPostgres } from ${JSON.stringify(join(dirname(import.meta.dirname), 'dist/index.js'))}
    const server = await startPostgres({ dataDir: process.argv[1] })
    console.log(server.pid); setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir])
  const pid = await new Promise<number>((resolve) => owner.stdout.once('data', (line) => resolve(Number(line))))
  owner.kill('SIGKILL')
  await waitUntil(() => owner.signalCode !== null)
  const next = await start()
  expect(next).toMatchObject({ adopted: true, pid })
  // Nobody may reap the orphan here, and a zombie must not count as running.
  process.kill(pid, 'SIGKILL')
  const last = await start()
  expect(last.adopted).toBe(false)
  expect(await query(last, 'select 1 as one')).toEqual([{ one: 1 }])
})

test.runIf(asRoot)(
  'root: the server runs as another account, also below a folder that account cannot enter',
  async () => {
    chmodSync(folder, 0o700)
    const first = await start()
    expect(statSync(`/proc/${first.pid}`).uid).not.toBe(0)
    expect(first.cluster.startsWith(folder)).toBe(false)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    await query(first, 'create table kept as select 1 as one')
    await first.stop()
    const second = await start()
    expect(second.cluster).toBe(first.cluster)
    expect(await query(second, 'select one from kept')).toEqual([{ one: 1 }])
  },
)

test.runIf(asRoot)('root: a relocated database that vanished is an error, never an empty start', async () => {
  chmodSync(folder, 0o700)
  const server = await start()
  await server.stop()
  rmSync(server.cluster, { recursive: true })
  await expect(startPostgres({ dataDir })).rejects.toThrow(/which is gone/)
})
