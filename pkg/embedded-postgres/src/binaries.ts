import { randomBytes } from 'node:crypto'
import { cp, mkdir, readFile, realpath, rename, rm, stat, symlink } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import { type Account, firstClosedFolder, sharedHome } from './traverse.js'

export interface Binaries {
  initdb: string
  postgres: string
  /** Major version, as in the cluster's PG_VERSION. */
  major: string
}

/** The npm package's binaries, copied out of a folder such as /root when the account could not reach them there. */
export async function findBinaries(account: Account | undefined): Promise<Binaries> {
  const root = await packageRoot()
  await makeLibraryLinks(root)
  const version = (JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string }).version
  const native = firstClosedFolder(join(root, 'native', 'bin'), account)
    ? await copyOut(join(root, 'native'), version, account as Account)
    : join(root, 'native')
  const suffix = process.platform === 'win32' ? '.exe' : ''
  return {
    initdb: join(native, 'bin', `initdb${suffix}`),
    postgres: join(native, 'bin', `postgres${suffix}`),
    major: version.split('.')[0] ?? '',
  }
}

async function packageRoot(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return await realpath(dirname(dirname(createRequire(import.meta.url).resolve(name))))
  } catch {
    throw new EmbeddedPostgresError(
      `The PostgreSQL binaries for this machine (${name}) are not installed. Run npm ci with optional dependencies, or set DATABASE_URL to a PostgreSQL of your own.`,
    )
  }
}

/** The package makes these in a postinstall script, which npm may block. */
async function makeLibraryLinks(root: string): Promise<void> {
  const listed = await readFile(join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  for (const { source, target } of JSON.parse(listed) as { source: string; target: string }[]) {
    const link = join(root, target)
    if (await exists(link)) continue
    await symlink(basename(source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') {
        throw new EmbeddedPostgresError(`Cannot make the library link ${link}: ${error.message}`)
      }
    })
  }
}

async function copyOut(native: string, version: string, account: Account): Promise<string> {
  const home = await sharedHome(account)
  if (!home) throw new EmbeddedPostgresError(unreachable(native, account))
  const target = join(home, `postgresql-${version}-${process.arch}`)
  if (await exists(join(target, 'bin', 'postgres'))) return target
  const draft = `${target}.${randomBytes(4).toString('hex')}`
  await mkdir(draft, { mode: 0o755 })
  await cp(native, draft, { recursive: true, verbatimSymlinks: true })
  try {
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { recursive: true, force: true })
    if (!(await exists(join(target, 'bin', 'postgres')))) throw error
  }
  return target
}

export const unreachable = (path: string, account: Account): string =>
  `PostgreSQL does not run as root, and the account ${account.name} cannot reach ${path}. Move the clone and MILLRACE_DATA_DIR out of the closed folder ${firstClosedFolder(dirname(path), account) ?? path}, start Millrace as an ordinary user, or set DATABASE_URL.`

export const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
