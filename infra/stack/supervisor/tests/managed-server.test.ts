import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answersOk } from '@millrace/stack-servers'
import { freePort, waitFor } from '@millrace/testkit'
import { afterAll, expect, test } from 'vitest'
import { ManagedServer } from '../src/managed-server.js'

const folder = mkdtempSync(join(tmpdir(), 'millrace-managed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('a process that gives no answer is ended, and the one in its place knows how often that was', async () => {
  const port = await freePort()
  const script = `console.log('hangs ' + process.env.MILLRACE_PROCESS_HANGS)
    require('node:http').createServer((_, res) => res.end()).listen(${port}, '127.0.0.1')`
  const logFile = join(folder, 'server.log')
  const healthy = () => answersOk(`http://127.0.0.1:${port}/`)
  const server = new ManagedServer(
    {
      ...{ name: 'server', command: process.execPath, args: ['-e', script], env: { PATH: process.env.PATH } },
      ...{ address: `127.0.0.1:${port}`, healthy, answers: healthy, startTimeoutMs: 30_000, stopTimeoutMs: 5_000 },
    },
    { logFile, holdFile: join(folder, 'hold'), hangMs: 1_000, onChange: () => undefined, onHang: () => undefined },
  )
  try {
    await server.start()
    process.kill(server.pid as number, 'SIGSTOP')
    await waitFor(() => server.state === 'up' && server.restarts === 1, { timeoutMs: 30_000 })
    expect(readFileSync(logFile, 'utf8').match(/hangs \S+/g)).toEqual(['hangs 0', 'hangs 1'])
  } finally {
    await server.stop()
  }
}, 60_000)
