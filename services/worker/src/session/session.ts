import { setTimeout as delay } from 'node:timers/promises'
import type { scheduler } from '@millrace/contracts'
import { crashPoint } from '@millrace/crash-point'
import type { EventPublisher } from '@millrace/events'
import type { Logger } from '@millrace/logger'
import type { OpenCircuit } from '../circuit/circuits.js'
import { Execution, type ExecutionHooks, type TaskResult } from '../execution/execution.js'
import { Mask } from '../execution/masking.js'
import { failed, handedBack } from '../execution/result.js'
import { stopFailure } from '../execution/stop-reason.js'
import type { Lease } from '../executors/executor.js'
import type { ExecutorRegistry } from '../executors/registry.js'
import type { LogShipper } from '../logs/log-shipper.js'
import { countEnd, runningTasks } from '../telemetry.js'
import { followCommands } from './commands.js'
import type { DispatchClient, SessionKey } from './dispatch-client.js'
import { startHeartbeat } from './heartbeat.js'
import { HeldLeases } from './held-leases.js'
import { Leasing } from './leasing.js'
import { PublishedResults } from './published-results.js'
import { Reporter } from './reporter.js'
import type { OccupiedSlot, Slots } from './slots.js'
import { WaitingLeases } from './waiting-leases.js'

export interface SessionOptions {
  client: DispatchClient
  grant: scheduler.RegisterResponse__Output
  executors: ExecutorRegistry
  slots: Slots
  shipper: LogShipper
  logger: Logger
  leaseWaitMs: number
  accepting: () => boolean
  onCommand: (command: 'pause' | 'resume' | 'drain') => void
  /** As in the heartbeat. */
  openCircuits: () => OpenCircuit[]
  requestedState: () => string
  onStateReported: (requestedState: string) => void
  /** Results go to the broker first, where there is one. */
  publisher?: EventPublisher | undefined
}

const askAgainMs = 100

/** What one registration owns. Ends when the scheduler no longer knows it, or when it is closed. */
export class Session {
  readonly workerId: string
  /** Resolves when the session is over. */
  readonly over: Promise<void>
  private readonly held = new HeldLeases()
  private readonly waiting: WaitingLeases
  private readonly ending = new AbortController()
  private readonly leasingEnds = new AbortController()
  private readonly leasing: Leasing
  private readonly reporter: Reporter
  private readonly publishedResults: PublishedResults | undefined
  /** Sends a heartbeat now. */
  readonly beat: () => void

  constructor(private readonly options: SessionOptions) {
    const { client, grant, slots, logger } = options
    this.workerId = grant.workerId
    this.waiting = new WaitingLeases(slots, (lease) => this.handBack(lease))
    const session: SessionKey = { id: grant.sessionId, secret: grant.sessionSecret }
    const signal = this.ending.signal
    this.over = new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    signal.addEventListener('abort', () => this.leasingEnds.abort(), { once: true })
    const accepting = () => !signal.aborted && options.accepting()
    const shared = { client, session, slots, logger, signal, accepting, onSessionOver: () => this.expire() }
    const onLeases = (leases: Lease[]) => this.accept(leases)
    this.leasing = new Leasing({
      ...shared,
      onLeases,
      signal: this.leasingEnds.signal,
      waitMs: options.leaseWaitMs,
      accepting: () => accepting() && !this.reporter.willAsk,
    })
    this.reporter = new Reporter({
      ...shared,
      onLeases,
      isHeld: (leaseId) => this.held.has(leaseId),
      onAnswered: (leaseId) => this.held.remove(leaseId),
      onTurn: () => this.fill(),
    })
    if (options.publisher !== undefined) this.publishedResults = this.openPublishedResults(options.publisher)
    const onLost = (leaseId: string) => this.lose(leaseId)
    const { requestedState, onStateReported, openCircuits } = options
    const told = { requestedState, onStateReported, openCircuits }
    const intervalMs = grant.heartbeatMs || 1_500
    this.beat = startHeartbeat({ ...shared, held: this.held, intervalMs, onLost, ...told })
    void followCommands({ ...shared, onCommand: (command) => this.obey(command) })
  }

  fill(): void {
    this.leasing.fill()
  }

  /** Somebody says that there is work. */
  hint(): void {
    this.leasing.hint()
  }

  executions(): Execution[] {
    return this.held.executions()
  }

  /** Gives up the open request for tasks; what executes goes on. */
  stopLeasing(): void {
    this.leasingEnds.abort()
    this.handBackWaiting()
  }

  /** Nothing more is begun for now. */
  handBackWaiting(): void {
    this.waiting.handBackAll()
  }

  /** Resolves true when every result has been answered for, false when the time or the session is over first. */
  async flush(timeoutMs: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs)
    })
    const stop = Promise.race([late, this.over])
    await Promise.race([this.handedOver(), stop])
    clearTimeout(timer)
    return this.held.size === 0
  }

  /** Over Kafka the scheduler has a result once a heartbeat's reply no longer counts its lease as ours. */
  private async handedOver(): Promise<void> {
    await this.publishedResults?.idle()
    await this.reporter.idle()
    while (this.publishedResults && this.held.size > 0 && !this.ending.signal.aborted) {
      this.beat()
      await delay(askAgainMs, undefined, { ref: false })
    }
  }

  /** Tells the scheduler that nothing more comes. Without it the session ends by its silence, and looks lost. */
  async deregister(timeoutMs: number): Promise<void> {
    // What the broker has and the scheduler has not is not to be run again: its session ends in its own time.
    if (this.ending.signal.aborted || (this.publishedResults && this.held.size > 0)) return
    const { client, grant, logger } = this.options
    const session = { id: grant.sessionId, secret: grant.sessionSecret }
    await client
      .deregister({ session }, { timeoutMs })
      .catch((error: unknown) => logger.debug({ err: error }, 'the scheduler was not told that this worker leaves'))
  }

  close(): void {
    this.ending.abort()
    this.waiting.clear()
  }

  private expire(): void {
    if (this.ending.signal.aborted) return
    this.options.logger.warn({ sessionId: this.options.grant.sessionId }, 'the session is over: what runs is stopped')
    this.close()
    for (const execution of this.held.executions()) execution.stop({ kind: 'lost' })
    this.held.clear()
  }

  private accept(leases: Lease[]): void {
    for (const lease of leases) {
      if (this.ending.signal.aborted) return
      if (this.held.has(lease.leaseId)) continue
      crashPoint('worker.lease.received')
      this.place(lease)
    }
  }

  private place(lease: Lease): void {
    const accepting = this.options.accepting()
    const slot = accepting ? this.options.slots.occupy() : undefined
    if (slot) this.start(lease, slot)
    else if (!accepting) this.handBack(lease)
    else if (this.waiting.add(lease)) this.held.add(lease.leaseId, lease.taskId)
    else this.handBack(lease)
  }

  private start(lease: Lease, slot: OccupiedSlot): void {
    const { executors, shipper, slots, grant } = this.options
    const hooks: ExecutionHooks = {
      onRelease: () => {
        slots.vacate(slot)
        runningTasks.dec()
        const next = this.waiting.next()
        if (next) this.place(next)
        // An attempt that was stopped has reported before its executor let go: nobody else will ask for this slot.
        if (execution.hasEnded) this.fill()
      },
      onEnd: (_ended, result) => this.finish(lease, result),
    }
    const execution = new Execution(lease, executors.get(lease.uses), shipper, hooks, grant.sessionId)
    this.held.add(lease.leaseId, lease.taskId, execution)
    runningTasks.inc()
    execution.start()
    crashPoint('worker.task.started')
  }

  /** The report's reply brings the next leases, so the slot just freed is not asked for apart. */
  private finish(lease: Lease, result: TaskResult | undefined): void {
    crashPoint('worker.task.executed')
    countEnd(lease.uses, result)
    if (result && this.held.has(lease.leaseId)) {
      this.held.add(lease.leaseId, lease.taskId)
      if (this.publishedResults?.take(lease, result)) this.fill()
      else this.reporter.submit(result)
    } else {
      this.held.remove(lease.leaseId)
      this.fill()
    }
  }

  /** A published lease stays named in heartbeats until the scheduler says that it is over: unnamed, it would be run again. */
  private openPublishedResults(publisher: EventPublisher): PublishedResults {
    const { grant, logger } = this.options
    return new PublishedResults({
      ...{ publisher, logger, workerId: grant.workerId, sessionId: grant.sessionId },
      onPublished: () => this.fill(),
      onFailed: (result) => this.reporter.submit(result),
    })
  }

  private handBack(lease: Lease): void {
    this.held.add(lease.leaseId, lease.taskId)
    this.reporter.submit(handedBack(lease))
  }

  private lose(leaseId: string): void {
    const execution = this.held.execution(leaseId)
    this.waiting.remove(leaseId)
    this.held.remove(leaseId)
    execution?.stop({ kind: 'lost' })
  }

  private obey(command: scheduler.CommandsResponse__Output): void {
    switch (command.command) {
      case 'cancel':
        this.cancel(command.cancel)
        break
      case 'pause':
      case 'resume':
      case 'drain':
        this.options.onCommand(command.command)
        break
      default:
      // A newer scheduler may know more commands.
    }
  }

  private cancel(cancel: scheduler.CancelTask__Output | null | undefined): void {
    if (!cancel) return
    const reason = { kind: 'cancelled', reason: cancel.reason } as const
    const lease = this.waiting.take(cancel.leaseId)
    // Handed back, it would begin elsewhere.
    if (lease) this.reporter.submit(failed(lease, stopFailure(reason), new Mask(lease.secrets)))
    this.held.execution(cancel.leaseId)?.stop(reason)
  }
}
