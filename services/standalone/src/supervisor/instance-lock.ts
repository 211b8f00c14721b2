import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { closeSync, constants, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { StartupError } from './startup-error.js'

export interface InstanceLock {
  release(): void
}

// Not in node:fs, which lists Linux's flags only. Opens and locks in one step on macOS and the BSDs.
const O_EXLOCK = 0x20

/**
 * One supervisor a data dir. The kernel holds the lock and lets it go when the process ends, however it ends, so there
 * is no stale lock to guess about. Node has no flock(2): on Linux flock(1) locks the descriptor it inherits, and the
 * lock stays with our copy of it. A pid file with a liveness check was rejected: two starters can both find it stale.
 */
export async function lockInstance(dataDir: string, note: string): Promise<InstanceLock> {
  const file = join(dataDir, 'lock')
  const holder = readHolder(file)
  const lock = process.platform === 'darwin' ? openLocked(file) : await flock(file, dataDir)
  if (!lock) {
    throw new StartupError(
      `Another Millrace runs on ${dataDir}${holder ? ` (${holder})` : ''}. Stop it first, or set MILLRACE_DATA_DIR to another folder.`,
    )
  }
  ftruncateSync(lock.descriptor)
  writeSync(lock.descriptor, `process ${process.pid}, ${note}\n`, 0)
  return {
    release() {
      ftruncateSync(lock.descriptor)
      closeSync(lock.descriptor)
      lock.guard?.close()
    },
  }
}

interface Held {
  descriptor: number
  guard?: Server
}

async function flock(file: string, dataDir: string): Promise<Held | undefined> {
  const descriptor = openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
  const result = spawnSync('flock', ['-n', '-x', '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] })
  if (result.error) {
    const guard = await listenExclusively(dataDir)
    if (guard) return { descriptor, guard }
  } else if (result.status === 0) {
    return { descriptor }
  }
  closeSync(descriptor)
  return undefined
}

function openLocked(file: string): Held | undefined {
  const { O_RDWR, O_CREAT, O_NONBLOCK } = constants
  try {
    return { descriptor: openSync(file, O_RDWR | O_CREAT | O_NONBLOCK | O_EXLOCK, 0o600) }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
    throw error
  }
}

/** Where flock(1) is missing: a name in the kernel's abstract socket space (a named pipe on Windows) can be taken once. */
function listenExclusively(dataDir: string): Promise<Server | undefined> {
  const name = `millrace-${createHash('sha256').update(dataDir).digest('hex').slice(0, 32)}`
  const guard = createServer().unref()
  return new Promise((resolve, reject) => {
    guard.once('error', (error: NodeJS.ErrnoException) =>
      error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error),
    )
    guard.listen(process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : `\0${name}`, () => resolve(guard))
  })
}

function readHolder(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return ''
  }
}
