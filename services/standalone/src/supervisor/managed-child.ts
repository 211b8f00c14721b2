import { setTimeout as sleep } from 'node:timers/promises'
import { crashPoint } from '@millrace/crash-point'
import { Child, type ChildOptions } from './child-process.js'

export interface ManagedChildEvents {
  /** The process ended; it will be started again after the delay. */
  onCrash(name: string, why: string, delayMs: number): void
  onRestarted(name: string): void
  /** It keeps dying; nothing more is tried. */
  onCrashLoop(name: string, why: string): void
  onPidChange(): void
}

const crashWindowMs = 60_000
const maxCrashes = 5

/** A child that is started again, on the same settings, when it dies on its own. */
export class ManagedChild {
  private child: Child
  private settings: unknown
  private ending = false
  private crashes: number[] = []

  constructor(
    private readonly options: ChildOptions,
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
    await this.child.start(settings)
    void this.watch(this.child)
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
    const why = ended.describeExit()
    const now = Date.now()
    // A worker that was told to drain ends with 0: as often as that is asked, it is no sign of trouble.
    const fresh = ended.process.exitCode === 0 ? [] : [now]
    this.crashes = [...this.crashes.filter((at) => now - at < crashWindowMs), ...fresh]
    if (this.crashes.length > maxCrashes) return this.events.onCrashLoop(this.name, why)
    const delayMs = Math.min(5_000, 200 * 2 ** Math.max(0, this.crashes.length - 1))
    this.events.onCrash(this.name, why, delayMs)
    await sleep(delayMs)
    if (this.ending) return
    const child = new Child(this.options)
    this.child = child
    this.events.onPidChange()
    try {
      await child.start(this.settings)
      crashPoint('supervisor.child-restarted')
      this.events.onRestarted(this.name)
    } catch {
      await child.kill()
    }
    void this.watch(child)
  }
}
