import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerProcess, type ServerSpec } from '@millrace/stack-servers'
import { Watchdog } from '@millrace/standalone-service'

export type ServerState = 'starting' | 'up' | 'down' | 'held' | 'stopped'

export interface ManagedServerOptions {
  logFile: string
  /** While this file is there, a server that ended is not started again: for maintenance, and for tests of outages. */
  holdFile: string
  onChange(server: ManagedServer, why: string): void
  /** How long its process may give no answer. */
  hangMs: number
  onHang(server: ManagedServer, silentMs: number): void
}

const longestDelayMs = 5_000
const calmMs = 60_000
const holdPollMs = 100

/** A server that is started again, however often it dies, until it is told to stop. */
export class ManagedServer {
  state: ServerState = 'starting'
  restarts = 0
  hangs = 0
  since = new Date()
  private process: ServerProcess | undefined
  private ending = false
  private failures = 0

  constructor(
    readonly spec: ServerSpec,
    readonly options: ManagedServerOptions,
  ) {}

  get name(): string {
    return this.spec.name
  }

  get pid(): number | undefined {
    return this.process?.pid
  }

  /** The first start: a failure here is the caller's to report. */
  async start(): Promise<void> {
    this.process = this.launch()
    this.change('starting', '')
    await this.process.ready()
    this.change('up', '')
    void this.watch(this.process)
  }

  async stop(): Promise<void> {
    this.ending = true
    await this.process?.stop()
    this.change('stopped', '')
  }

  async kill(): Promise<void> {
    this.ending = true
    await this.process?.kill()
  }

  /** A process shows how often its place was vacated because nobody answered there. */
  private launch(): ServerProcess {
    const { env } = this.spec
    const told = env && { env: { ...env, MILLRACE_PROCESS_HANGS: String(this.hangs) } }
    return new ServerProcess({ ...this.spec, ...told }, this.options.logFile)
  }

  private change(state: ServerState, why: string): void {
    this.state = state
    this.since = new Date()
    this.options.onChange(this, why)
  }

  private async watch(process: ServerProcess): Promise<void> {
    const watchdog = this.watchdogOf(process)
    watchdog?.start()
    await process.exited
    watchdog?.stop()
    while (!this.ending) {
      if (Date.now() - this.since.getTime() > calmMs) this.failures = 0
      this.change('down', this.process?.describeExit() ?? '')
      await sleep(Math.min(longestDelayMs, 200 * 2 ** this.failures))
      await this.waitWhileHeld()
      if (this.ending) return
      if (await this.startAgain()) return
    }
  }

  private watchdogOf(process: ServerProcess): Watchdog | undefined {
    const { answers } = this.spec
    if (answers === undefined) return undefined
    const ask = async (): Promise<void> => {
      if (await answers().catch(() => false)) watchdog.heard()
    }
    const watchdog: Watchdog = new Watchdog({
      hangMs: this.options.hangMs,
      ask: () => void ask(),
      onHang: (silentMs) => {
        if (this.ending) return
        this.hangs++
        this.options.onHang(this, silentMs)
        process.signal('SIGKILL')
      },
    })
    return watchdog
  }

  private async waitWhileHeld(): Promise<void> {
    while (!this.ending && existsSync(this.options.holdFile)) {
      if (this.state !== 'held') this.change('held', `until ${this.options.holdFile} is removed`)
      await sleep(holdPollMs)
    }
  }

  private async startAgain(): Promise<boolean> {
    this.failures += 1
    this.restarts += 1
    const process = this.launch()
    this.process = process
    this.change('starting', '')
    try {
      await process.ready()
    } catch {
      return false
    }
    if (this.ending) return true
    this.change('up', 'again')
    void this.watch(process)
    return true
  }
}
