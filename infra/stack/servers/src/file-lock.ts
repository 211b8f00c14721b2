import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'

// Not in node:fs, which lists Linux's flags only. Opens and locks in one step on macOS and the BSDs.
const O_EXLOCK = 0x20
const O_RDWR_CREAT = 0x0202

/**
 * Holds `file` locked while `work` runs; waits for whoever holds it. The kernel lets the lock go with the process, so a
 * builder that was killed leaves none behind. Node has no flock(2): flock(1) locks the descriptor it inherits, and the
 * lock stays with our copy of it.
 */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true })
  const darwin = process.platform === 'darwin'
  const handle = await open(file, darwin ? O_RDWR_CREAT | O_EXLOCK : 'a+', 0o600)
  try {
    if (!darwin) await flock(handle.fd)
    return await work()
  } finally {
    await handle.close()
  }
}

async function flock(descriptor: number): Promise<void> {
  const child = spawn('flock', ['-x', '3'], { stdio: ['ignore', 'ignore', 'ignore', descriptor] })
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`flock(1) ended with ${code}`)
}
