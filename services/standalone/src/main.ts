import { ConfigError } from '@millrace/config'
import { readStandaloneConfig } from './config.js'
import { runSupervisor } from './supervisor/run-supervisor.js'
import { terminal } from './supervisor/terminal.js'

try {
  process.exitCode = await runSupervisor(readStandaloneConfig(process.env), terminal)
} catch (error) {
  if (!(error instanceof ConfigError)) throw error
  terminal.error('Millrace cannot start, its configuration is wrong:')
  for (const fault of error.faults) terminal.error(`  - ${fault}`)
  process.exitCode = 1
}
