import type { scheduler } from '@millrace/contracts'
import type { EventPublisher } from '@millrace/events'
import type { Logger } from '@millrace/logger'
import type { OpenCircuit } from './circuit/circuits.js'
import type { Execution } from './execution/execution.js'
import type { ExecutorRegistry } from './executors/registry.js'
import type { LogShipper } from './logs/log-shipper.js'
import { Backoff } from './session/backoff.js'
import type { DispatchClient } from './session/dispatch-client.js'
import { Session } from './session/session.js'
import { isRefused } from './session/session-error.js'
import { Slots } from './session/slots.js'
import { version } from './version.js'

export const WorkerState = {
  Starting: 'starting',
  Running: 'running',
  Paused: 'paused',
  Draining: 'draining',
  Stopped: 'stopped',
} as const
export type WorkerState = (typeof WorkerState)[keyof typeof WorkerState]

export interface WorkerOptions {
  client: DispatchClient
  executors: ExecutorRegistry
  /** Peers that are not called now, for those who look at workers. */
  openCircuits: () => OpenCircuit[]
  shipper: LogShipper
  logger: Logger
  name: string
  queues: readonly string[]
  concurrency: number
  leaseWaitMs: number
  drainTimeoutMs: number
  /** For results and logs, once nothing executes any more. */
  flushTimeoutMs: number
  /** Where results go first; to the scheduler alone without it. */
  publisher?: EventPublisher | undefined
  /** Called once a drain that the scheduler asked for is done. */
  onDrained?: () => void
  /** Called with the session of each registration. */
  onRegistered?: (sessionId: string) => void
}

const deregisterTimeoutMs = 1_000

/** Registers, and registers again whenever the scheduler no longer knows the session. */
export class Worker {
  private readonly slots: Slots
  private readonly closing = new AbortController()
  private session: Session | undefined
  private paused = false
  /** Asked for here, and not known to the scheduler yet; until it is, the scheduler's older word does not count. */
  private requestedState: 'paused' | 'active' | 'draining' | '' = ''
  private draining: Promise<boolean> | undefined
  private loop: Promise<void> | undefined
  private stopped = false
  private lastWorkerId = ''

  constructor(private readonly options: WorkerOptions) {
    this.slots = new Slots(options.concurrency)
  }

  get state(): WorkerState {
    if (this.stopped) return WorkerState.Stopped
    if (this.draining) return WorkerState.Draining
    if (this.paused) return WorkerState.Paused
    return this.session ? WorkerState.Running : WorkerState.Starting
  }

  get workerId(): string {
    return this.lastWorkerId
  }

  get isRegistered(): boolean {
    return this.session !== undefined
  }

  executions(): Execution[] {
    return this.session?.executions() ?? []
  }

  /** Tasks were queued somewhere. */
  hint(): void {
    this.session?.hint()
  }

  start(): void {
    this.loop ??= this.run()
  }

  /**
   * Asked on the worker's own port. Tasks that arrive on the way are handed back; what executes goes on. The scheduler is
   * told, whose row is the one place that says how a worker stands.
   */
  pause(): void {
    this.setPaused(true)
    this.tell('paused')
  }

  resume(): void {
    this.setPaused(false)
    this.tell('active')
  }

  private setPaused(paused: boolean): void {
    this.paused = paused
    if (paused) this.session?.handBackWaiting()
    else this.session?.fill()
  }

  private tell(requestedState: 'paused' | 'active' | 'draining'): void {
    this.requestedState = requestedState
    this.session?.beat()
  }

  /** Answers whether everything finished within the time. What did not is stopped and handed back. */
  drain(timeoutMs = this.options.drainTimeoutMs): Promise<boolean> {
    this.draining ??= this.drainOnce(timeoutMs)
    return this.draining
  }

  private async drainOnce(timeoutMs: number): Promise<boolean> {
    const { logger, flushTimeoutMs, shipper } = this.options
    this.session?.stopLeasing()
    this.tell('draining')
    const finished = await this.slots.idle(timeoutMs)
    if (!finished) {
      const executions = this.executions()
      logger.warn({ count: executions.length }, 'tasks still running at the end of the drain are handed back')
      for (const execution of executions) execution.stop({ kind: 'handed-back' })
    }
    const reported = (await this.session?.flush(flushTimeoutMs)) ?? true
    const logged = await shipper.flush(flushTimeoutMs)
    if (!reported || !logged) logger.warn({ reported, logged }, 'the drain ended before everything was sent')
    await this.session?.deregister(deregisterTimeoutMs)
    this.closing.abort()
    this.session?.close()
    shipper.abandon()
    await this.loop
    this.stopped = true
    return finished
  }

  private async run(): Promise<void> {
    const { signal } = this.closing
    while (!signal.aborted) {
      const grant = await this.register()
      if (!grant) return
      const session = this.open(grant)
      this.session = session
      session.fill()
      await session.over
      this.session = undefined
    }
  }

  private open(grant: scheduler.RegisterResponse__Output): Session {
    const { client, executors, shipper, logger, leaseWaitMs, publisher, openCircuits } = this.options
    this.lastWorkerId = grant.workerId
    logger.info({ workerId: grant.workerId, sessionId: grant.sessionId }, 'registered with the scheduler')
    this.options.onRegistered?.(grant.sessionId)
    return new Session({
      ...{ client, grant, executors, shipper, logger, leaseWaitMs, publisher, openCircuits, slots: this.slots },
      accepting: () => !this.paused && !this.draining,
      onCommand: (command) => this.obey(command),
      requestedState: () => this.requestedState,
      onStateReported: (requestedState) => {
        if (this.requestedState === requestedState) this.requestedState = ''
      },
    })
  }

  private obey(command: 'pause' | 'resume' | 'drain'): void {
    if (command !== 'drain') {
      if (this.requestedState === '') this.setPaused(command === 'pause')
    } else void this.drain().then(() => this.options.onDrained?.())
  }

  private async register(): Promise<scheduler.RegisterResponse__Output | undefined> {
    const { client, executors, name, queues, concurrency, logger } = this.options
    const { signal } = this.closing
    const backoff = new Backoff({ initial: 100, max: 2_000 })
    const facts = { name, executors: [...executors.keys()], queues: [...queues], concurrency }
    while (!signal.aborted && !this.draining) {
      // One that was paused and lost its session begins paused.
      const request = { ...facts, sdk: 'millrace-worker', version, paused: this.paused }
      try {
        return await client.register(request, { signal })
      } catch (error) {
        if (isRefused(error)) logger.error({ err: error }, 'the scheduler refused to register this worker')
        else if (!signal.aborted) logger.warn({ err: error }, 'the scheduler cannot be reached to register')
        await backoff.wait(signal)
      }
    }
    return undefined
  }
}
