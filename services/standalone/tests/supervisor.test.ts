import { createServer, type Server } from 'node:net'
import { freePort, testDatabase, waitFor } from '@millrace/testkit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { makePlace, type Place, processesOf, Standalone } from './standalone-process.js'

vi.setConfig({ testTimeout: 120_000 })

let place: Place
let metricsPort = 0
let running: Standalone[] = []

beforeEach(async () => {
  place = await makePlace()
  metricsPort = await freePort()
})

afterEach(async () => {
  for (const instance of running) instance.kill('SIGKILL')
  running = []
  await place.remove()
})

function start(env: Record<string, string> = {}): Standalone {
  const instance = new Standalone(place, env)
  running.push(instance)
  return instance
}

const commands = () => processesOf(place.dataDir).map(({ command }) => command)
const pidOf = (script: string) => processesOf(place.dataDir).find(({ command }) => command.includes(script))?.pid

/** Never by a pid that is not there: kill(0) would end the whole process group, the tests with it. */
async function killNow(script: string): Promise<number> {
  const kill = () => {
    const pid = pidOf(script)
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
    return pid
  }
  return await waitFor(kill, { timeoutMs: 30_000, intervalMs: 10, what: `a process of ${script}` })
}

async function occupy(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return server
}

test('bad configuration: every fault, exit 1, nothing started', async () => {
  const instance = start({ MILLRACE_WORKERS: 'many', MILLRACE_LEASE_MS: '0', DATABASE_URL: 'nowhere' })
  expect(await instance.exitCode()).toBe(1)
  for (const name of ['MILLRACE_WORKERS', 'MILLRACE_LEASE_MS', 'DATABASE_URL']) {
    expect(instance.lines(new RegExp(`- ${name} `))).toHaveLength(1)
  }
  expect(commands()).toEqual([])
})

test.each([
  ['MILLRACE_PORT', () => place.port],
  ['MILLRACE_GRPC_PORT', () => place.grpcPort],
  ['MILLRACE_METRICS_PORT', () => metricsPort],
])('a taken port is named together with %s', async (setting, port) => {
  const server = await occupy(port())
  const instance = start(setting === 'MILLRACE_METRICS_PORT' ? { [setting]: String(port()) } : {})
  expect(await instance.exitCode()).toBe(1)
  expect(instance.output).toMatch(new RegExp(`Port ${port()} on 127.0.0.1 is in use.*${setting}`))
  expect(commands()).toEqual([])
  await new Promise((resolve) => server.close(resolve))
})

test.each([
  ['nothing answers', 'postgresql://me:pa55word@127.0.0.1:1/x', /nothing answers at 127.0.0.1:1/],
  ['the host is unknown', 'postgresql://me:pa55word@database.invalid/x', /DATABASE_URL: .*database.invalid/],
])('a broken DATABASE_URL: %s', async (_case, url, message) => {
  const instance = start({ DATABASE_URL: url })
  expect(await instance.exitCode()).toBe(1)
  expect(instance.output).toMatch(message)
  expect(instance.output).not.toContain('pa55word')
  expect(commands()).toEqual([])
})

test('a data dir that cannot be made is a clear message', async () => {
  const instance = start({ MILLRACE_DATA_DIR: '/dev/null/data' })
  expect(await instance.exitCode()).toBe(1)
  expect(instance.output).toMatch(/The data dir \/dev\/null\/data cannot be used.*MILLRACE_DATA_DIR/)
})

test('starts, refuses a second instance, stops on SIGTERM without a trace, and starts again on the same data', async () => {
  const first = await start().ready()
  expect(first.lines(/ready/)).toEqual([`Millrace is ready at http://127.0.0.1:${place.port}`])
  expect(first.lines(/password/)).toHaveLength(1)
  expect((await fetch(first.url('/readyz'))).status).toBe(200)

  const second = new Standalone({ ...place, port: place.port + 1, grpcPort: place.grpcPort + 1 })
  running.push(second)
  expect(await second.exitCode()).toBe(1)
  expect(second.output).toMatch(new RegExp(`Another Millrace runs on .*process ${first.process.pid}`))
  expect((await fetch(first.url('/healthz'))).status).toBe(200)

  const asked = Date.now()
  first.kill('SIGTERM')
  expect(await first.exitCode()).toBe(0)
  expect(Date.now() - asked).toBeLessThan(12_000)
  expect(commands()).toEqual([])

  const again = await start().ready()
  expect(again.lines(/password/)).toEqual([])
  again.kill('SIGINT')
  expect(await again.exitCode()).toBe(0)
  expect(commands()).toEqual([])
})

test('kill -9 of the supervisor leaves no orphan, and the next start takes over, also at once', async () => {
  const children = () => processesOf(place.dataDir).filter(({ command }) => command.includes('standalone/dist'))
  const first = await start().ready()
  first.kill('SIGKILL')
  await waitFor(() => children().length === 0, { timeoutMs: 8_000 })

  const second = await start().ready()
  const old = children().map(({ pid }) => pid)
  expect(old).toHaveLength(4)
  second.kill('SIGKILL')
  const third = await start().ready()
  expect(children().filter(({ pid }) => old.includes(pid))).toEqual([])
  expect((await fetch(third.url('/readyz'))).status).toBe(200)
  third.kill('SIGTERM')
  expect(await third.exitCode()).toBe(0)
  expect(commands()).toEqual([])
})

/** At the address that is printed: which processes answer there. Metrics of a child are its own. */
async function metricsOf(instance: Standalone): Promise<{ origin: string; up: (string | undefined)[] }> {
  const url = /metrics {3}(http:\/\/127\.0\.0\.1:\d+)\/metrics/.exec(instance.output)?.[1]
  expect(url).toBeDefined()
  const text = await (await fetch(`${url}/metrics`)).text()
  expect(text).toMatch(/^process_resident_memory_bytes\{process="core"\} \d/m)
  expect(text.match(/^# TYPE process_resident_memory_bytes /gm)).toHaveLength(1)
  const up = [...text.matchAll(/^process_up\{process="(.+)"\} 1$/gm)].map(([, name]) => name)
  return { origin: url ?? '', up }
}

test('whatever dies is brought back: edge, core, records, worker, PostgreSQL', async () => {
  const instance = await start().ready()
  const { origin, up } = await metricsOf(instance)
  expect(up).toEqual(['supervisor', 'edge', 'core', 'records', 'worker-1'])
  expect((await fetch(`${origin}/`)).status).toBe(404)
  expect((await fetch(instance.url('/metrics'))).status).toBe(404)
  for (const name of ['edge', 'core', 'records', 'worker']) {
    const before = await killNow(`dist/${name}.js`)
    await waitFor(() => instance.lines(new RegExp(`^${name}.* is back`)).length > 0, { timeoutMs: 60_000 })
    expect(pidOf(`dist/${name}.js`)).not.toBe(before)
  }
  // The second time as soon as it runs again: while it recovers.
  for (const _time of [1, 2]) {
    const postmaster = await killNow('bin/postgres')
    await waitFor(() => pidOf('bin/postgres') !== undefined && pidOf('bin/postgres') !== postmaster, {
      timeoutMs: 30_000,
      intervalMs: 10,
    })
  }
  await waitFor(async () => (await fetch(instance.url('/readyz')).catch(() => undefined))?.status === 200, {
    timeoutMs: 40_000,
  })
  expect((await metricsOf(instance)).up).toHaveLength(5)
  instance.kill('SIGTERM')
  expect(await instance.exitCode()).toBe(0)
  expect(commands()).toEqual([])
})

test('DATABASE_URL takes the place of the embedded PostgreSQL', async () => {
  const database = await testDatabase()
  const instance = await start({ DATABASE_URL: database.url, MILLRACE_ADMIN_PASSWORD: 'chosen-by-its-owner' }).ready()
  expect(instance.output).not.toMatch(/embedded|chosen-by-its-owner/)
  expect(commands().some((command) => command.includes('bin/postgres'))).toBe(false)
  const credentials = { email: 'admin@millrace.local', password: 'chosen-by-its-owner' }
  const login = await fetch(instance.url('/api/v1/auth/login'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  expect(login.status).toBe(200)
  instance.kill('SIGTERM')
  expect(await instance.exitCode()).toBe(0)
  expect(commands()).toEqual([])
  await database.drop()
})

test('a signal in the middle of the start ends it cleanly', async () => {
  const instance = start()
  await waitFor(() => commands().length > 0, { timeoutMs: 10_000, intervalMs: 5 })
  instance.kill('SIGTERM')
  expect(await instance.exitCode()).toBe(0)
  expect(commands()).toEqual([])
})
