import { randomBytes } from 'node:crypto'
import { access, mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheDir } from './cache-dir.js'
import { withFileLock } from './file-lock.js'

/**
 * The folder `<cache>/<name>`, filled by `fill` the first time: a name carries the version, so what is there is right.
 * Filled aside and renamed, under a lock: a build that was killed leaves nothing that looks whole, and two starts at
 * once build it once.
 */
export async function cached(name: string, fill: (draft: string) => Promise<void>): Promise<string> {
  const root = cacheDir()
  const target = join(root, name)
  if (await exists(target)) return target
  return await withFileLock(join(root, `${name}.lock`), async () => {
    if (await exists(target)) return target
    const draft = join(root, `${name}.${randomBytes(4).toString('hex')}`)
    await mkdir(draft, { recursive: true })
    try {
      await fill(draft)
      await rename(draft, target)
      return target
    } catch (error) {
      await rm(draft, { recursive: true, force: true })
      throw error
    }
  })
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
