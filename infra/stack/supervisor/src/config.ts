import { join } from 'node:path'
import { ConfigError, type Env } from '@millrace/config'
import { readStandaloneConfig, type StandaloneConfig } from '@millrace/standalone-service'

const defaultWorkers = '2'

/** What only the Node gateway does. Ignored, they would promise what Envoy, as it is set up here, does not keep. */
const ofTheNodeGateway = ['MILLRACE_TLS_CERT', 'MILLRACE_TLS_KEY', 'MILLRACE_TRUSTED_PROXIES', 'MILLRACE_CORS_ORIGINS']

/** The same names as standalone. Its data stands in a folder of its own: the two keep different things. */
export function readStackConfig(env: Env): StandaloneConfig {
  const workers = env.MILLRACE_WORKERS?.trim() || defaultWorkers
  const unsupported = ofTheNodeGateway.filter((name) => (env[name] ?? '').trim() !== '')
  const faults = unsupported.map((name) => `${name} has no effect on the stack: set it up in Envoy's configuration`)
  if ((env.MILLRACE_METRICS_PORT ?? '').trim() !== '') {
    faults.push('MILLRACE_METRICS_PORT has no effect on the stack: each service has /metrics on its own HTTP port')
  }
  if (faults.length > 0) throw new ConfigError(faults)
  const config = readStandaloneConfig({ ...env, MILLRACE_WORKERS: workers })
  return { ...config, dataDir: join(config.dataDir, 'stack') }
}
