import { spawn } from 'node:child_process'
import { closeSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import { disownStalePostmaster, isProcessOf, readPostmasterFile } from './postmaster-file.js'
import type { Account } from './traverse.js'

export interface LaunchOptions {
  executable: string
  cluster: string
  account: Account | undefined
  port: number
  args: string[]
  logFile: string
  startTimeoutMs: number
}

const maxLogBytes = 10 * 1024 * 1024

/**
 * Starts a postmaster in a process group of its own (Ctrl-C in the terminal must not reach it before its clients have
 * drained) and waits until it is ready. A backend that outlived a killed postmaster holds the shared memory for a
 * moment, and a free port may be taken between choosing and binding: both are tried again.
 */
export async function launch(options: LaunchOptions): Promise<{ pid: number; port: number }> {
  const deadline = Date.now() + options.startTimeoutMs
  for (;;) {
    const port = options.port || (await freePort())
    const attempt = await launchOnce(options, port, deadline)
    if (attempt.pid) return { pid: attempt.pid, port }
    const portTaken = /Address already in use|could not bind/i.test(attempt.log)
    const oldMemory = attempt.log.includes('shared memory block') && attempt.log.includes('still in use')
    if (portTaken && options.port) {
      throw new EmbeddedPostgresError(
        `Port ${port} on 127.0.0.1 is taken, so PostgreSQL could not start. Free it or choose another.`,
      )
    }
    if ((!portTaken && !oldMemory) || Date.now() > deadline) {
      throw new EmbeddedPostgresError(
        `PostgreSQL did not start: ${attempt.log.trim() || 'no message'} (log: ${options.logFile})`,
      )
    }
    await sleep(250)
  }
}

async function launchOnce(
  options: LaunchOptions,
  port: number,
  deadline: number,
): Promise<{ pid?: number; log: string }> {
  const stale = readPostmasterFile(options.cluster)
  if (stale && !isProcessOf(stale.pid, options.cluster)) disownStalePostmaster(options.cluster, stale)
  rotate(options.logFile)
  const log = openSync(options.logFile, 'a', 0o600)
  const logStart = statSync(options.logFile).size
  const identity = options.account ? { uid: options.account.uid, gid: options.account.gid } : {}
  const child = spawn(options.executable, ['-D', options.cluster, '-p', String(port), ...options.args], {
    ...identity,
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' },
  })
  closeSync(log)
  let ended: string | undefined
  child.once('error', (error) => {
    ended = error.message
  })
  child.once('exit', () => {
    ended ??= ''
  })
  child.unref()
  const written = () => readFileSync(options.logFile).subarray(logStart).toString('utf8').slice(-4000)
  while (ended === undefined) {
    const file = readPostmasterFile(options.cluster)
    if (file && file.pid === child.pid && file.ready) return { pid: child.pid, log: '' }
    if (Date.now() > deadline) {
      child.kill('SIGQUIT')
      return { log: `not ready in time\n${written()}` }
    }
    await sleep(10)
  }
  return { log: `${ended}${written()}` }
}

function rotate(logFile: string): void {
  try {
    if (statSync(logFile).size > maxLogBytes) renameSync(logFile, `${logFile}.1`)
  } catch {
    // No log yet.
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
