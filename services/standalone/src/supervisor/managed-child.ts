import { setTimeout as sleep } from 'node:timers/promises'
import { crashPoint } from '@millrace/crash-point'
import type { ToChild } from '../children/messages.js'
import { Child, type ChildOptions } from './child-process.js'

export interface ManagedChildEvents {
  /** The process ended; it will be started again after the delay. */
  onCrash(name: string, why: string, delayMs: number): void
  onRestarted(name: string): void
  /** It keeps dying; nothing more is tried. */
  onCrashLoop(name: string, why: string): void
  onPidChange(): void
  /** A worker has died that worked under this session. */
  onSessionLost?(sessionId: string): void
}

const crashWindowMs = 60_000
/** Who served for so long is started again at once; who died sooner than that, after a longer pause each time. */
const soonMs = 10_000
const firstPauseMs = 200
const maxPauseMs = 5_000

export interface ManagedChildOptions extends ChildOptions {
  /** Deaths in a minute after which nothing more is tried. */
  maxCrashes: number
}

/** A child that is started again, on the same settings, when it dies on its own. */
export class ManagedChild {
  private child: Child
  private settings: unknown
  private ending = false
  private crashes: number[] = []
  private startedAt = Date.now()
  private soonDeaths = 0
  private hangs = 0

  constructor(
    private readonly options: ManagedChildOptions,
    private readonly events: ManagedChildEvents,
  ) {
    this.child = new Child(options)
  }

  get name(): string {
    return this.options.name
  }

  get pid(): number | undefined {
    return this.child.alive ? this.child.process.pid : undefined
  }

  /** The first start: a failure here is the caller's to report, not a crash to be retried. */
  async start(settings: unknown): Promise<void> {
    this.settings = settings
    await this.child.start(settings, this.hangs)
    void this.watch(this.child)
  }

  tell(message: ToChild): void {
    this.child.tell(message)
  }

  measure(timeoutMs: number): Promise<string | undefined> {
    return this.child.measure(timeoutMs)
  }

  drain(timeoutMs: number): Promise<void> {
    this.ending = true
    return this.child.drain(timeoutMs)
  }

  stop(timeoutMs: number): Promise<void> {
    this.ending = true
    return this.child.stop(timeoutMs)
  }

  kill(): Promise<void> {
    this.ending = true
    return this.child.kill()
  }

  private async watch(child: Child): Promise<void> {
    await child.exited
    if (!this.ending) await this.restart(child)
  }

  private async restart(ended: Child): Promise<void> {
    crashPoint('supervisor.child-died')
    if (ended.sessionId !== undefined) this.events.onSessionLost?.(ended.sessionId)
    const why = ended.describeExit()
    if (ended.hung) this.hangs++
    const now = Date.now()
    // A worker that was told to drain ends with 0: as often as that is asked, it is no sign of trouble.
    const fresh = ended.process.exitCode === 0 ? [] : [now]
    this.crashes = [...this.crashes.filter((at) => now - at < crashWindowMs), ...fresh]
    if (this.crashes.length > this.options.maxCrashes) return this.events.onCrashLoop(this.name, why)
    this.soonDeaths = fresh.length > 0 && now - this.startedAt < soonMs ? this.soonDeaths + 1 : 0
    const delayMs = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.max(0, Math.min(this.soonDeaths - 1, 10)))
    this.events.onCrash(this.name, why, delayMs)
    await sleep(delayMs)
    if (this.ending) return
    const child = new Child(this.options)
    this.child = child
    this.startedAt = Date.now()
    this.events.onPidChange()
    try {
      await child.start(this.settings, this.hangs)
      crashPoint('supervisor.child-restarted')
      this.events.onRestarted(this.name)
    } catch {
      await child.kill()
    }
    void this.watch(child)
  }
}
