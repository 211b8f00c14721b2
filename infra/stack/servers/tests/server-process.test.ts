import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@millrace/testkit'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { accepts, type ServerSpec, startServer } from '../src/index.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-server-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const logFile = () => join(folder, 'logs', 'server.log')

async function nodeServer(code: (port: number) => string, more: Partial<ServerSpec> = {}): Promise<ServerSpec> {
  const port = await freePort()
  return {
    name: 'test server',
    command: process.execPath,
    args: ['-e', code(port)],
    address: `127.0.0.1:${port}`,
    healthy: () => accepts('127.0.0.1', port),
    startTimeoutMs: 20_000,
    stopTimeoutMs: 10_000,
    ...more,
  }
}

const listening = (port: number) => `require('net').createServer().listen(${port}, '127.0.0.1')`

test('a server is there once it serves, and gone after its stop', async () => {
  const server = await startServer(await nodeServer(listening), logFile())
  expect(await server.spec.healthy()).toBe(true)
  await server.stop()
  expect(server.describeExit()).toBe('killed by SIGTERM')
  expect(await server.spec.healthy()).toBe(false)
})

test('a server that ends before it serves is reported with what it said', async () => {
  const spec = await nodeServer(() => `console.error('no room on the disk'); process.exit(3)`)
  await expect(startServer(spec, logFile())).rejects.toThrow(/ended: exit code 3[\s\S]*no room on the disk/)
})

test('a server that never serves, or does not heed its stop, is killed', async () => {
  const deaf = `process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);`
  const silent = await nodeServer(() => deaf, { startTimeoutMs: 300 })
  await expect(startServer(silent, logFile())).rejects.toThrow(/did not serve within 0.3 s/)
  const stubborn = await nodeServer((port) => deaf + listening(port), { stopTimeoutMs: 100 })
  const server = await startServer(stubborn, logFile())
  await server.stop()
  expect(server.describeExit()).toBe('killed by SIGKILL')
})

test('a command that is not there is said to be so', async () => {
  const spec = await nodeServer(listening, { command: '/nowhere/at-all' })
  await expect(startServer(spec, logFile())).rejects.toThrow(/ENOENT/)
})
