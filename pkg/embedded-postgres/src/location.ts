import { randomUUID } from 'node:crypto'
import { chmod, chown, mkdir, readFile, realpath, rename, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { exists, unreachable } from './binaries.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import { type Account, firstClosedFolder, sharedHome } from './traverse.js'

export interface Location {
  /** Folder of the caller, absolute: password, settings and log stand here. */
  home: string
  /** PGDATA. */
  cluster: string
}

const pointerFile = 'cluster-location'

/** Where an existing cluster of this data dir lies, or undefined before the first start. */
export async function findCluster(dataDir: string): Promise<Location | undefined> {
  const home = await makeHome(dataDir)
  const pointer = await readFile(join(home, pointerFile), 'utf8').catch(() => undefined)
  const cluster = pointer === undefined ? join(home, 'cluster') : pointer.trim()
  if (pointer !== undefined) await checkPointer(home, cluster)
  return (await exists(join(cluster, 'PG_VERSION'))) ? { home, cluster } : undefined
}

/**
 * A new cluster stands inside the data dir, unless the account that runs PostgreSQL cannot enter a folder above it
 * (a clone under /root, mode 700): then it stands under /var/lib/millrace, and the data dir keeps a pointer to it.
 * Opening root's home to others would be the wrong cure.
 */
export async function chooseCluster(dataDir: string, account: Account | undefined): Promise<Location> {
  const home = await makeHome(dataDir)
  if (!account) return { home, cluster: join(home, 'cluster') }
  if (!firstClosedFolder(dirname(home), account)) {
    // Pass-through only: the password and the log inside stay root's.
    await chown(home, 0, account.gid)
    await chmod(home, 0o710)
    return { home, cluster: join(home, 'cluster') }
  }
  const pointed = await readFile(join(home, pointerFile), 'utf8').catch(() => undefined)
  const shared = await sharedHome(account)
  if (!shared) throw new EmbeddedPostgresError(unreachable(home, account))
  const cluster = pointed?.trim() || join(shared, 'clusters', randomUUID())
  await mkdir(dirname(cluster), { recursive: true, mode: 0o711 })
  await writeFile(`${cluster}.origin`, `${home}\n`, { mode: 0o600 })
  await writeFile(join(home, `${pointerFile}.new`), `${cluster}\n`, { mode: 0o600 })
  await rename(join(home, `${pointerFile}.new`), join(home, pointerFile))
  return { home, cluster }
}

async function makeHome(dataDir: string): Promise<string> {
  const wanted = resolve(dataDir)
  try {
    await mkdir(wanted, { recursive: true, mode: 0o700 })
    return await realpath(wanted)
  } catch (error) {
    throw new EmbeddedPostgresError(`Cannot create ${wanted}: ${(error as Error).message}`)
  }
}

async function checkPointer(home: string, cluster: string): Promise<void> {
  const origin = (await readFile(`${cluster}.origin`, 'utf8').catch(() => '')).trim()
  if (!(await exists(cluster)) && (await exists(join(home, 'initialised')))) {
    throw new EmbeddedPostgresError(
      `The database of ${home} was kept in ${cluster}, which is gone. Restore that folder, or remove ${home} to start empty.`,
    )
  }
  if (origin === home || origin === '') return
  const other = await readFile(join(origin, pointerFile), 'utf8').catch(() => '')
  if (other.trim() === cluster) {
    throw new EmbeddedPostgresError(
      `${home} is a copy of ${origin}; both point to the database in ${cluster}. Remove ${home} to start it empty, or remove ${origin} if it moved.`,
    )
  }
  await writeFile(`${cluster}.origin`, `${home}\n`, { mode: 0o600 })
}
