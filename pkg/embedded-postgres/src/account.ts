import { execFile } from 'node:child_process'
import { statSync } from 'node:fs'
import { promisify } from 'node:util'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import type { Account } from './traverse.js'

const run = promisify(execFile)

/**
 * PostgreSQL refuses to run as root, so root lends it another account: the one that owns the data already, else
 * `postgres`, else `millrace` (made when absent), else `nobody`. undefined = run as the caller.
 */
export async function accountFor(cluster: string | undefined): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const owner = cluster && ownerOf(cluster)
  if (owner) return owner
  for (const name of ['postgres', 'millrace']) {
    const found = await lookUp(name)
    if (found) return found
  }
  await makeAccount('millrace')
  const account = (await lookUp('millrace')) ?? (await lookUp('nobody'))
  if (account) return account
  throw new EmbeddedPostgresError(
    'PostgreSQL does not run as root, and no other account could be found or made. Create one (useradd --system millrace), start Millrace as an ordinary user, or set DATABASE_URL.',
  )
}

function ownerOf(cluster: string): Account | undefined {
  try {
    const { uid, gid } = statSync(cluster)
    return uid === 0 ? undefined : { name: String(uid), uid, gid }
  } catch {
    return undefined
  }
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])])
    const account = { name, uid: Number(uid.stdout), gid: Number(gid.stdout) }
    return account.uid > 0 ? account : undefined
  } catch {
    return undefined
  }
}

async function makeAccount(name: string): Promise<void> {
  const shadow = ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', name]
  await run('useradd', shadow).catch(() => run('adduser', ['-S', '-D', '-H', name]).catch(() => undefined))
}
