import { onSignals, StartupError, type Terminal } from '@millrace/standalone-service'
import type { StackConfig } from './config.js'
import { Stack } from './stack.js'

/** Runs until told to stop or until something cannot be mended; resolves with the exit code. */
export async function runStack(config: StackConfig, terminal: Terminal): Promise<number> {
  const stack = new Stack(config, terminal)
  const asked = onSignals(
    () => terminal.line('Stopping…'),
    () => {
      terminal.error('Stopping at once.')
      void stack.kill().finally(() => process.exit(1))
    },
  )
  let verdict = 'The stack did not start'
  const broken = stack.start().then(
    () => {
      verdict = 'The stack stopped'
      return stack.failed.then((why) => new StartupError(why))
    },
    (error: unknown) => error,
  )
  const end = await Promise.race([asked, broken])
  await stack.stop()
  if (end === 'asked') return 0
  terminal.error(`${verdict}. ${end instanceof Error ? end.message : String(end)}`)
  return 1
}
