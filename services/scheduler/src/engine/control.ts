import type { Logger } from '@millrace/logger'
import { CancelPoller } from './cancel-poller.js'
import { CommandStreams, type WorkerCommand } from './command-streams.js'
import type { StopRequest } from './engine-context.js'
import type { Environment } from './environment.js'
import type { Rules } from './long-polls.js'
import type { Loop } from './loop.js'
import { controlMetrics } from './metrics.js'
import { ReplicaHints } from './replica-hints.js'
import { SettingsCache } from './settings-cache.js'
import type { ControlStore } from './store.js'

export interface ControlOptions {
  store: ControlStore
  env: Environment
  /** Of queues that have no profile of their own. */
  syncMatch: boolean
  /** Tasks may be ready to go that were held, or the other way round. */
  onChange: () => void
  /** Another replica queued tasks. */
  onQueued: (limited: boolean) => void
  logger: Logger
}

/**
 * What people asked of queues and workers, in force on this replica, and the way of commands to workers. The rows are the
 * truth; a change made on any replica comes by a hint, or by the poll behind it.
 */
export class Control {
  readonly settings: SettingsCache
  readonly rules: Rules
  private readonly streams = new CommandStreams()
  private readonly hints: ReplicaHints
  private readonly cancelPoller: CancelPoller

  constructor(private readonly options: ControlOptions) {
    const { store, env, logger } = options
    this.settings = new SettingsCache({
      read: (known) => store.readControl(known),
      env,
      syncMatch: options.syncMatch,
      logger,
      onChange: () => {
        this.sendStates()
        options.onChange()
      },
    })
    this.rules = {
      mayLease: (sessionId) => this.settings.stateOf(sessionId) === 'active',
      mayMatch: (projectId, queue) => this.settings.mayMatch(projectId, queue),
      shareOf: (projectId, queue) => this.settings.shareOf(projectId, queue),
    }
    this.hints = new ReplicaHints((payload) => store.notifyReplicas(payload), env.newSecretId(), env, logger)
    this.cancelPoller = new CancelPoller(this.streams, store, env, logger)
  }

  get loops(): readonly Loop[] {
    return [this.settings, this.cancelPoller]
  }

  close(): Promise<void> {
    return this.hints.close()
  }

  /** After a change has committed: in force here when this resolves, elsewhere a moment later. */
  async changed(): Promise<void> {
    this.hints.changed()
    await this.settings.refresh()
  }

  /** Asks the holders of these leases to stop, whichever replica they are connected to. */
  stopTasks(requests: readonly StopRequest[]): void {
    const elsewhere = requests.filter((request) => !this.cancel(request, 'here'))
    if (elsewhere.length > 0) this.hints.stop(elsewhere)
  }

  /** Tasks wait here that no worker of this replica took: workers that wait at others look now, not at their next poll. */
  wakeReplicas(limited: boolean): void {
    this.hints.queued(limited)
  }

  /** What the rows say: a hint may have been lost. */
  found(version: number, cancelling: boolean): void {
    this.settings.found(version)
    if (cancelling) this.cancelPoller.poke()
  }

  /** A message of another replica. */
  hear(payload: string): void {
    const hint = this.hints.read(payload)
    if (!hint) return
    for (const request of hint.stop) this.cancel(request, 'hint')
    if (hint.control) this.settings.poke()
    if (hint.queued) this.options.onQueued(hint.queued === 'limited')
  }

  /** A worker's commands, beginning with how it stands. */
  async *listen(sessionId: string, signal: AbortSignal): AsyncGenerator<WorkerCommand> {
    // At least as new as the opening of the stream: a worker that was away is told the truth, not a memory.
    await this.settings.refresh()
    yield* this.streams.listen(sessionId, this.settings.stateOf(sessionId), signal, () => this.cancelPoller.poke())
  }

  private cancel(request: StopRequest, way: 'here' | 'hint'): boolean {
    const result = this.streams.cancel(request)
    if (result === 'sent') controlMetrics.commands.inc({ command: 'cancel', way })
    return result !== 'absent'
  }

  private sendStates(): void {
    const sent = this.streams.sendStates((sessionId) => this.settings.stateOf(sessionId))
    for (const command of sent) controlMetrics.commands.inc({ command, way: 'settings' })
  }
}
