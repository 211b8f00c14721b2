import { statSync } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface Account {
  name: string
  uid: number
  gid: number
}

/** The first folder on the way to `path` that this account may not enter, or undefined when it can reach the path. */
export function firstClosedFolder(path: string, account: Account | undefined): string | undefined {
  if (!account) return undefined
  const folders: string[] = []
  for (let folder = path; ; folder = dirname(folder)) {
    folders.unshift(folder)
    if (folder === dirname(folder)) break
  }
  return folders.find((folder) => !mayEnter(folder, account))
}

function mayEnter(folder: string, account: Account): boolean {
  const { mode, uid, gid } = statSync(folder)
  if (uid === account.uid) return (mode & 0o100) !== 0
  if (gid === account.gid) return (mode & 0o010) !== 0
  return (mode & 0o001) !== 0
}

const sharedHomes = ['/var/lib/millrace', '/var/tmp/millrace', '/tmp/millrace']

/** A folder of root's that other accounts can pass through but not list, outside any closed home such as /root. */
export async function sharedHome(account: Account): Promise<string | undefined> {
  for (const candidate of sharedHomes) {
    try {
      await mkdir(candidate, { recursive: true, mode: 0o711 })
      const home = await realpath(candidate)
      // Under a sticky folder anybody may have made it first; only root's own can be trusted with data.
      if (statSync(home).uid === 0 && !firstClosedFolder(home, account)) return home
    } catch {
      // Read-only or missing: the next one may do.
    }
  }
  return undefined
}
