import { join } from 'node:path'
import { ConfigError, type Env } from '@millrace/config'
import { readStandaloneConfig, type StandaloneConfig } from '@millrace/standalone-service'

const defaultWorkers = '2'

/** The same names as standalone. Its data stands in a folder of its own: the two keep different things. */
export function readStackConfig(env: Env): StandaloneConfig {
  const workers = env.MILLRACE_WORKERS?.trim() || defaultWorkers
  if ((env.MILLRACE_METRICS_PORT ?? '').trim() !== '') {
    throw new ConfigError([
      'MILLRACE_METRICS_PORT has no effect on the stack: each service has /metrics on its own HTTP port',
    ])
  }
  const config = readStandaloneConfig({ ...env, MILLRACE_WORKERS: workers })
  return { ...config, dataDir: join(config.dataDir, 'stack') }
}
