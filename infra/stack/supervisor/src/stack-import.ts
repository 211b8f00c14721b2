import { resolve } from 'node:path'
import { StartupError, type Terminal } from '@millrace/standalone-service'
import type { StackConfig } from './config.js'
import { Stack } from './stack.js'

/** Resolves with the exit code. */
export async function importInto(config: StackConfig, folder: string | undefined, terminal: Terminal): Promise<number> {
  if (!folder) throw new StartupError('Say from where: make stack-import FROM=<folder of make export>')
  const stack = new Stack(config, terminal)
  try {
    await stack.import(resolve(folder))
  } finally {
    await stack.stop()
  }
  terminal.line('Imported. make stack starts it.')
  return 0
}
