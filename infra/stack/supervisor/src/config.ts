import { join } from 'node:path'
import { boolean, ConfigError, type Env, readConfig } from '@millrace/config'
import { readStandaloneConfig, type StandaloneConfig } from '@millrace/standalone-service'

const defaultWorkers = '2'

export interface StackConfig extends StandaloneConfig {
  /** Services have certificates, and speak TLS with each other and with the gateway. */
  tlsServices: boolean
}

/** The same names as standalone. Its data stands in a folder of its own: the two keep different things. */
export function readStackConfig(env: Env): StackConfig {
  const workers = env.MILLRACE_WORKERS?.trim() || defaultWorkers
  if ((env.MILLRACE_METRICS_PORT ?? '').trim() !== '') {
    throw new ConfigError([
      'MILLRACE_METRICS_PORT has no effect on the stack: each service has /metrics on its own HTTP port',
    ])
  }
  const config = readStandaloneConfig({ ...env, MILLRACE_WORKERS: workers })
  const { tlsServices } = readConfig(env, { tlsServices: boolean('MILLRACE_TLS_SERVICES', { default: false }) })
  return { ...config, tlsServices, dataDir: join(config.dataDir, 'stack') }
}
