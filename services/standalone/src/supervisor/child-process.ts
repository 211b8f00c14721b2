import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ServiceName } from '@millrace/identity'
import type { FromChild, ToChild } from '../children/messages.js'
import { openEnv } from '../children/service-secrets.js'
import { Watchdog } from './watchdog.js'

export interface ChildOptions {
  name: string
  script: string
  /** The Node it runs on. */
  execPath: string
  services: readonly ServiceName[]
  /** On the command line, so that an orphaned process of this very instance can be told from a stranger. */
  dataDir: string
  onOutput(chunk: Buffer): void
  /** How long it may give no sign once it has started. */
  hangMs: number
  onHang(name: string, silentMs: number): void
}

// Migrations are part of a start, and a machine may be slow or busy.
const startTimeoutMs = 180_000

type Reply = Exclude<FromChild, { kind: 'failed' } | { kind: 'session' } | { kind: 'pong' }>

/** One life of a child process, in a process group of its own: a Ctrl-C in the terminal reaches the supervisor alone. */
export class Child {
  readonly process: ChildProcess
  readonly exited: Promise<void>
  private readonly waiting = new Map<Reply['kind'], { resolve(reply: Reply): void; reject(error: Error): void }>()
  private readonly greeted: Promise<Reply>
  private readonly watchdog: Watchdog
  private failure: string | undefined
  /** It was ended because it gave no sign. */
  hung = false
  /** Of a worker: what it holds hangs on it. */
  sessionId: string | undefined

  constructor(readonly options: ChildOptions) {
    this.process = fork(options.script, [options.dataDir], {
      detached: true,
      execPath: options.execPath,
      // Node 22 and later keep compiled code there and start faster; 20 does not look.
      env: { NODE_COMPILE_CACHE: join(options.dataDir, 'compile-cache'), ...openEnv(process.env, options.services) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.process.stdout?.on('data', options.onOutput)
    this.process.stderr?.on('data', options.onOutput)
    this.process.on('message', (message: FromChild) => this.hear(message))
    this.greeted = this.expect('hello')
    this.watchdog = new Watchdog({
      hangMs: options.hangMs,
      ask: () => this.tell({ kind: 'ping' }),
      onHang: (silentMs) => this.endHung(silentMs),
    })
    this.exited = new Promise((resolve) => {
      this.process.on('error', (error) => {
        this.failure ??= error.message
        if (this.process.pid === undefined) resolve()
      })
      this.process.once('exit', () => resolve())
    })
    void this.exited.then(() => {
      this.watchdog.stop()
      const error = new Error(`${options.name} stopped: ${this.describeExit()}`)
      for (const { reject } of this.waiting.values()) reject(error)
    })
  }

  get alive(): boolean {
    return this.process.pid !== undefined && this.process.exitCode === null && this.process.signalCode === null
  }

  /** Gives the child its settings and waits until it serves. */
  async start(settings: unknown, hangs: number): Promise<void> {
    await this.greeted
    const started = this.expect('started')
    this.tell({ kind: 'start', settings, hangs })
    await Promise.race([started, this.tooLate()])
    this.watchdog.start()
  }

  /** What it measures; undefined when it does not say so in time. */
  async measure(timeoutMs: number): Promise<string | undefined> {
    if (!this.alive) return undefined
    const measured = this.expect('measured').catch(() => undefined)
    this.tell({ kind: 'measure' })
    const reply = await Promise.race([measured, sleep(timeoutMs, undefined, { ref: false })])
    return reply?.kind === 'measured' ? reply.metrics : undefined
  }

  async drain(timeoutMs: number): Promise<void> {
    if (!this.alive) return
    const drained = this.expect('drained').catch(() => undefined)
    this.tell({ kind: 'drain' })
    await Promise.race([drained, sleep(timeoutMs, undefined, { ref: false })])
  }

  async stop(timeoutMs: number): Promise<void> {
    if (!this.alive) return
    // A stop has its own time.
    this.watchdog.stop()
    this.tell({ kind: 'stop' })
    await Promise.race([this.exited, sleep(timeoutMs, undefined, { ref: false })])
    await this.kill()
  }

  async kill(): Promise<void> {
    if (this.alive) this.process.kill('SIGKILL')
    await this.exited
  }

  describeExit(): string {
    if (this.failure) return this.failure
    const { signalCode, exitCode } = this.process
    return signalCode ? `killed by ${signalCode}` : `exit code ${exitCode}`
  }

  private async tooLate(): Promise<never> {
    await sleep(startTimeoutMs, undefined, { ref: false })
    throw new Error(`${this.options.name} did not start within ${startTimeoutMs / 1000} s`)
  }

  tell(message: ToChild): void {
    if (this.process.connected) this.process.send(message, () => undefined)
  }

  private endHung(silentMs: number): void {
    this.hung = true
    this.failure = `it gave no sign for ${silentMs} ms`
    this.options.onHang(this.options.name, silentMs)
    // Whoever is blocked or stopped hears no other signal.
    this.process.kill('SIGKILL')
  }

  private hear(message: FromChild): void {
    this.watchdog.heard()
    if (message.kind === 'pong') return
    if (message.kind === 'failed') this.failure = message.message
    else if (message.kind === 'session') this.sessionId = message.sessionId
    else this.waiting.get(message.kind)?.resolve(message)
  }

  private expect(kind: Reply['kind']): Promise<Reply> {
    const reply = new Promise<Reply>((resolve, reject) => this.waiting.set(kind, { resolve, reject }))
    reply.catch(() => undefined)
    return reply
  }
}
