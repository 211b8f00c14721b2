import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/** Where downloads and builds are kept between starts: never inside the clone. */
export function cacheDir(env: NodeJS.ProcessEnv = process.env): string {
  const chosen = env.MILLRACE_CACHE_DIR?.trim()
  if (chosen) return resolve(chosen)
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'millrace')
  return join(env.XDG_CACHE_HOME?.trim() || join(homedir(), '.cache'), 'millrace')
}
