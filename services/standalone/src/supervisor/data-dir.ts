import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { StartupError } from './startup-error.js'

const megabyte = 1024 * 1024
// A new database with its first log segments takes some 80 MB; one that is there only needs room to go on.
const neededFirst = 256 * megabyte
const neededLater = 64 * megabyte

/** Makes the data dir and shows that it can be written to, before anything is started that would fail halfway. */
export function prepareDataDir(wanted: string): string {
  try {
    mkdirSync(wanted, { recursive: true })
    const dataDir = realpathSync(wanted)
    if (isOurs(dataDir)) {
      // PostgreSQL does not run as root: the account it runs under has to pass through. All secrets inside are 0600.
      chmodSync(dataDir, process.getuid?.() === 0 ? 0o711 : 0o700)
    }
    mkdirSync(join(dataDir, 'logs'), { recursive: true, mode: 0o700 })
    checkSpace(dataDir, existsSync(join(dataDir, 'secrets.json')) ? neededLater : neededFirst)
    return dataDir
  } catch (error) {
    if (error instanceof StartupError) throw error
    throw new StartupError(
      `The data dir ${wanted} cannot be used: ${(error as Error).message}. Make it writable, or set MILLRACE_DATA_DIR to another folder.`,
    )
  }
}

/** A folder that holds other things keeps the permissions its owner chose. */
function isOurs(dataDir: string): boolean {
  const names = readdirSync(dataDir)
  return names.length === 0 || names.includes('secrets.json')
}

function checkSpace(dataDir: string, neededBytes: number): void {
  const { bavail, bsize } = statfsSync(dataDir)
  const freeBytes = bavail * bsize
  if (freeBytes < neededBytes) {
    throw new StartupError(
      `The disk of ${dataDir} is full: ${Math.floor(freeBytes / megabyte)} MB free, ${neededBytes / megabyte} MB needed. Free some space, or set MILLRACE_DATA_DIR to a folder on another disk.`,
    )
  }
  const probe = join(dataDir, `.probe-${process.pid}`)
  const file = openSync(probe, 'w', 0o600)
  try {
    writeSync(file, Buffer.alloc(64 * 1024))
    fsyncSync(file)
  } finally {
    closeSync(file)
    rmSync(probe, { force: true })
  }
}
