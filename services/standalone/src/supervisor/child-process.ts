import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FromChild, ToChild } from '../children/messages.js'

export interface ChildOptions {
  name: string
  script: string
  /** On the command line, so that a leftover of this very instance can be told from a stranger. */
  dataDir: string
  onOutput(chunk: Buffer): void
}

// Migrations are part of a start, and a machine may be slow or busy.
const startTimeoutMs = 180_000

type Reply = Exclude<FromChild, { kind: 'failed' } | { kind: 'session' }>

/** One life of a child process, in a process group of its own: a Ctrl-C in the terminal reaches the supervisor alone. */
export class Child {
  readonly process: ChildProcess
  readonly exited: Promise<void>
  private readonly waiting = new Map<Reply['kind'], { resolve(reply: Reply): void; reject(error: Error): void }>()
  private readonly greeted: Promise<Reply>
  private failure: string | undefined
  /** Of a worker: what it holds hangs on it. */
  sessionId: string | undefined

  constructor(readonly options: ChildOptions) {
    this.process = fork(options.script, [options.dataDir], {
      detached: true,
      // Node 22 and later keep compiled code there and start faster; 20 does not look.
      env: { NODE_COMPILE_CACHE: join(options.dataDir, 'compile-cache'), ...process.env },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.process.stdout?.on('data', options.onOutput)
    this.process.stderr?.on('data', options.onOutput)
    this.process.on('message', (message: FromChild) => this.hear(message))
    this.greeted = this.expect('hello')
    this.exited = new Promise((resolve) => {
      this.process.on('error', (error) => {
        this.failure ??= error.message
        if (this.process.pid === undefined) resolve()
      })
      this.process.once('exit', () => resolve())
    })
    void this.exited.then(() => {
      const error = new Error(`${options.name} stopped: ${this.describeExit()}`)
      for (const { reject } of this.waiting.values()) reject(error)
    })
  }

  get alive(): boolean {
    return this.process.pid !== undefined && this.process.exitCode === null && this.process.signalCode === null
  }

  /** Gives the child its settings and waits until it serves. */
  async start(settings: unknown): Promise<void> {
    await this.greeted
    const started = this.expect('started')
    this.tell({ kind: 'start', settings })
    await Promise.race([started, this.tooLate()])
  }

  async drain(timeoutMs: number): Promise<void> {
    if (!this.alive) return
    const drained = this.expect('drained').catch(() => undefined)
    this.tell({ kind: 'drain' })
    await Promise.race([drained, sleep(timeoutMs, undefined, { ref: false })])
  }

  async stop(timeoutMs: number): Promise<void> {
    if (!this.alive) return
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

  private hear(message: FromChild): void {
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
