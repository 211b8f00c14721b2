import { randomBytes } from 'node:crypto'
import { chown, mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from '@millrace/logger'
import { type Isolation, isAttemptUser, type ShellUser } from './isolation.js'
import { killTree } from './process-tree.js'

const prefix = 'millrace-shell'
const namePattern = new RegExp(`^${prefix}-(\\d+)-[0-9a-f]{16}$`)

export interface AttemptFolder {
  path: string
  /** Also marks the processes of the attempt. */
  scope: string
  /** Who owns the folder and runs the command; the worker itself when undefined. */
  user: ShellUser | undefined
}

export async function makeAttemptFolder(root: string, user: ShellUser | undefined): Promise<AttemptFolder> {
  const scope = `${prefix}-${process.pid}-${randomBytes(8).toString('hex')}`
  const path = join(root, scope)
  await mkdir(path, { mode: 0o700 })
  if (user) await chown(path, user.uid, user.gid)
  return { path, scope, user }
}

export async function removeFolder({ path }: Pick<AttemptFolder, 'path'>): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 })
}

/** What a worker that was killed left behind: its commands still run, for a lease that somebody else has by now. */
export async function clearLeftovers(root: string, isolation: Isolation, logger: Logger): Promise<void> {
  const names = await readdir(root).catch(() => [])
  for (const name of names) {
    const owner = Number(namePattern.exec(name)?.[1] ?? 0)
    if (owner === 0 || owner === process.pid || isAlive(owner)) continue
    logger.warn({ folder: name }, 'ending what a killed worker left running')
    const path = join(root, name)
    const user = isolation.kind === 'attempt-user' ? await ownerOf(path) : undefined
    await killTree({ groupId: undefined, scope: name, user }, 'SIGKILL')
    await removeFolder({ path }).catch(() => undefined)
  }
}

/** Of a folder that an attempt's own user has; root's processes are nobody's leftovers. */
async function ownerOf(path: string): Promise<ShellUser | undefined> {
  const found = await stat(path).catch(() => undefined)
  return found && isAttemptUser(found.uid) ? { uid: found.uid, gid: found.gid } : undefined
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
