import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmod, chown, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.js'
import { exists } from './binaries.js'
import { EmbeddedPostgresError } from './embedded-postgres-error.js'
import type { Location } from './location.js'
import type { Account } from './traverse.js'

const run = promisify(execFile)

export const superuser = 'millrace'

/** initdb works in a draft folder that is renamed at the end, so a crash in the middle leaves nothing that looks whole. */
export async function initialise(
  location: Location,
  binaries: Binaries,
  account: Account | undefined,
  sync: boolean,
): Promise<void> {
  const { cluster } = location
  if (await exists(cluster)) {
    throw new EmbeddedPostgresError(
      `${cluster} exists but holds no readable PostgreSQL cluster. Start Millrace under the account that made it, or move the folder away.`,
    )
  }
  const suffix = randomBytes(4).toString('hex')
  const draft = `${cluster}.${suffix}`
  const passwordFile = `${cluster}.pw-${suffix}`
  try {
    await writeFile(passwordFile, await readPassword(location.home), { mode: 0o600 })
    if (account) await chown(passwordFile, account.uid, account.gid)
    await prepareDraft(draft, account)
    const args = ['-D', draft, '-U', superuser, `--pwfile=${passwordFile}`, '--auth=scram-sha-256', '--encoding=UTF8']
    // The builtin provider sorts alike on every machine and does not depend on the locales installed.
    const locale = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--locale=C', '--no-instructions']
    const identity = account ? { uid: account.uid, gid: account.gid } : {}
    await run(binaries.initdb, [...args, ...locale, ...(sync ? [] : ['--no-sync'])], { ...identity, cwd: '/' })
    await rename(draft, cluster)
    await writeFile(join(location.home, 'initialised'), '', { mode: 0o600 })
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string }
    throw new EmbeddedPostgresError(
      `PostgreSQL could not create its data in ${cluster}: ${(stderr || message).trim()}`,
      { cause: error },
    )
  } finally {
    await rm(passwordFile, { force: true })
    await rm(draft, { recursive: true, force: true })
  }
}

async function prepareDraft(draft: string, account: Account | undefined): Promise<void> {
  await mkdir(draft, { mode: 0o700 })
  if (account) await chown(draft, account.uid, account.gid)
}

/** Made on first use, kept beside the cluster, readable by its owner alone. */
export async function readPassword(home: string): Promise<string> {
  const file = join(home, 'password')
  const found = await readFile(file, 'utf8').catch(() => '')
  if (found.trim()) return found.trim()
  const password = randomBytes(24).toString('base64url')
  await writeFile(`${file}.new`, password, { mode: 0o600 })
  await chmod(`${file}.new`, 0o600)
  await rename(`${file}.new`, file)
  return password
}
