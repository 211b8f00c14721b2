import type { Logger } from '@millrace/logger'
import type { Environment } from './environment.js'
import { Loop } from './loop.js'
import { controlMetrics } from './metrics.js'

/** With what iam and the replicas remember of a key, its sessions end well within five seconds of its revocation. */
const EVERY_MS = 1500
/** As many as iam is asked about at once. */
const SLICE = 1000

export interface KeyWatchOptions {
  /** Keys of live sessions, in order, after this one. */
  listKeys: (after: string, limit: number) => Promise<string[]>
  /** Those that may no longer be used. Throws when nobody can say: a key is then neither good nor bad. */
  findInvalid: (keyIds: readonly string[]) => Promise<readonly string[]>
  listSessions: (keyIds: readonly string[]) => Promise<string[]>
  /** What the session holds goes back to the queue, no attempt used up. */
  endSession: (sessionId: string) => Promise<void>
  env: Environment
  logger: Logger
}

/**
 * Ends the sessions of API keys that were revoked, have expired, or whose maker was disabled or left. Without it such a
 * session would live until it missed its heartbeats, and its tasks would count as lost with their worker.
 */
export class KeyWatch extends Loop {
  constructor(private readonly options: KeyWatchOptions) {
    super({ name: 'key-watch', everyMs: EVERY_MS, logger: options.logger, env: options.env })
  }

  protected override async turn(): Promise<void> {
    const { listKeys, findInvalid } = this.options
    let keys: string[]
    let after = ''
    do {
      keys = await listKeys(after, SLICE)
      after = keys.at(-1) ?? ''
      const invalid = keys.length === 0 ? [] : await findInvalid(keys)
      if (invalid.length > 0) await this.end(invalid)
    } while (keys.length === SLICE)
  }

  private async end(keyIds: readonly string[]): Promise<void> {
    const { listSessions, endSession, logger } = this.options
    for (const sessionId of await listSessions(keyIds)) {
      await endSession(sessionId)
      controlMetrics.revoked.inc()
      logger.info({ sessionId }, 'a worker session ended because its key may no longer be used')
    }
  }
}
