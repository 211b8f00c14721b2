import type { Logger } from '@millrace/logger'
import type { Rules } from './calls.js'
import { CommandStreams, type WorkerCommand } from './command-streams.js'
import { ControlBoard } from './control-board.js'
import { Courier } from './courier.js'
import type { StopRequest } from './engine-context.js'
import type { Environment } from './environment.js'
import { controlMetrics } from './metrics.js'
import { ReplicaHints } from './replica-hints.js'
import type { ControlStore } from './store.js'

export interface ControlOptions {
  store: ControlStore
  env: Environment
  /** Of queues that have no profile of their own. */
  syncMatch: boolean
  /** Tasks may be ready to go that were held, or the other way round. */
  onChange: () => void
  logger: Logger
}

/**
 * What people asked of queues and workers, in force on this replica, and the way of commands to workers. The rows are the
 * truth; a change made on any replica comes by a hint, or by the poll behind it.
 */
export class Control {
  readonly board: ControlBoard
  readonly rules: Rules
  private readonly streams = new CommandStreams()
  private readonly hints: ReplicaHints
  private readonly courier: Courier

  constructor(options: ControlOptions) {
    const { store, env, logger } = options
    this.board = new ControlBoard({
      read: (known) => store.readControl(known),
      env,
      syncMatch: options.syncMatch,
      logger,
      onChange: () => {
        this.tell()
        options.onChange()
      },
    })
    this.rules = {
      mayLease: (sessionId) => this.board.standing(sessionId) === 'active',
      mayMatch: (projectId, queue) => this.board.mayMatch(projectId, queue),
      shareOf: (projectId, queue) => this.board.shareOf(projectId, queue),
    }
    this.hints = new ReplicaHints((payload) => store.notifyReplicas(payload), env.newSecretId(), logger)
    this.courier = new Courier(this.streams, store, env, logger)
  }

  start(): void {
    this.board.start()
    this.courier.start()
  }

  async stop(): Promise<void> {
    await Promise.all([this.board.stop(), this.courier.stop(), this.hints.idle()])
  }

  /** After a change has committed: in force here when this resolves, elsewhere a moment later. */
  async changed(): Promise<void> {
    this.hints.changed()
    await this.board.refresh()
  }

  /** Asks the holders of these leases to stop, whichever replica they are connected to. */
  stopTasks(requests: readonly StopRequest[]): void {
    const elsewhere = requests.filter((request) => !this.cancel(request, 'here'))
    if (elsewhere.length > 0) this.hints.stop(elsewhere)
  }

  /** A message of another replica. */
  hear(payload: string): void {
    const hint = this.hints.read(payload)
    if (!hint) return
    for (const request of hint.stop) this.cancel(request, 'hint')
    if (hint.control) this.board.poke()
  }

  /** A worker's commands, beginning with how it stands. */
  async *listen(sessionId: string, signal: AbortSignal): AsyncGenerator<WorkerCommand> {
    // At least as new as the opening of the stream: a worker that was away is told the truth, not a memory.
    await this.board.refresh()
    yield* this.streams.listen(sessionId, this.board.standing(sessionId), signal, () => this.courier.poke())
  }

  private cancel(request: StopRequest, way: 'here' | 'hint'): boolean {
    const result = this.streams.cancel(request)
    if (result === 'sent') controlMetrics.commands.inc({ command: 'cancel', way })
    return result !== 'absent'
  }

  private tell(): void {
    const told = this.streams.tell((sessionId) => this.board.standing(sessionId))
    for (const command of told) controlMetrics.commands.inc({ command, way: 'board' })
  }
}
