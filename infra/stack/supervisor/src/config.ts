import { join } from 'node:path'
import type { Env } from '@millrace/config'
import { readStandaloneConfig, type StandaloneConfig } from '@millrace/standalone-service'

const defaultWorkers = '2'

/** The same names as standalone. Its data stands in a folder of its own: the two keep different things. */
export function readStackConfig(env: Env): StandaloneConfig {
  const workers = env.MILLRACE_WORKERS?.trim() || defaultWorkers
  const config = readStandaloneConfig({ ...env, MILLRACE_WORKERS: workers })
  return { ...config, dataDir: join(config.dataDir, 'stack') }
}
