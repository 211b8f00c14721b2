import type { scheduler } from '@millrace/contracts'
import type { Logger } from '@millrace/logger'
import { Backoff } from './backoff.js'
import type { DispatchClient, SessionKey } from './dispatch-client.js'
import { isSessionOver } from './session-error.js'

export interface CommandsOptions {
  client: DispatchClient
  session: SessionKey
  logger: Logger
  signal: AbortSignal
  onCommand: (command: scheduler.CommandsResponse__Output) => void
  onSessionOver: () => void
}

/** Keeps the stream open for as long as the session lives. */
export async function followCommands(options: CommandsOptions): Promise<void> {
  const { client, session, signal, logger } = options
  const backoff = new Backoff({ initial: 50, max: 2_000 })
  while (!signal.aborted) {
    const openedAt = performance.now()
    try {
      for await (const command of client.commands({ session }, { signal })) options.onCommand(command)
    } catch (error) {
      if (signal.aborted) return
      if (isSessionOver(error)) return options.onSessionOver()
      logger.debug({ err: error }, 'the command stream broke off')
    }
    if (performance.now() - openedAt > 5_000) backoff.reset()
    await backoff.wait(signal)
  }
}
