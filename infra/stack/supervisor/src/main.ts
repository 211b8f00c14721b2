import { ConfigError } from '@millrace/config'
import { StartupError, terminal } from '@millrace/standalone-service'
import { readStackConfig } from './config.js'
import { runStack } from './run-stack.js'
import { takeDown } from './stack-down.js'
import { importInto } from './stack-import.js'
import { showStatus } from './stack-status.js'

async function run(command: string | undefined, folder: string | undefined): Promise<number> {
  const config = readStackConfig(process.env)
  if (command === 'status') return await showStatus(config.dataDir, terminal)
  if (command === 'down') return await takeDown(config.dataDir, terminal)
  if (command === 'import') return await importInto(config, folder, terminal)
  return await runStack(config, terminal)
}

// A closed terminal is no reason to stop.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
try {
  process.exitCode = await run(process.argv[2], process.argv[3])
} catch (error) {
  if (error instanceof ConfigError) {
    terminal.error('The stack cannot start, its configuration is wrong:')
    for (const fault of error.faults) terminal.error(`  - ${fault}`)
  } else if (error instanceof StartupError) {
    terminal.error(error.message)
  } else {
    throw error
  }
  process.exitCode = 1
}
