import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ServerError } from './server-error.js'
import type { ServerSpec } from './server-spec.js'

const probeMs = 100

/** One life of a server, in a process group of its own: a Ctrl-C in the terminal reaches whoever started it alone. */
export class ServerProcess {
  readonly exited: Promise<void>
  private readonly child: ChildProcess
  private failure: string | undefined

  constructor(
    readonly spec: ServerSpec,
    readonly logFile: string,
  ) {
    mkdirSync(dirname(logFile), { recursive: true })
    const log = openSync(logFile, 'a', 0o600)
    this.child = spawn(spec.command, spec.args, {
      cwd: spec.cwd,
      env: spec.env ?? process.env,
      detached: true,
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    if (spec.background && this.child.pid !== undefined) {
      setPriority(this.child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
    }
    this.exited = new Promise((resolve) => {
      this.child.once('exit', () => resolve())
      this.child.on('error', (error) => {
        this.failure ??= error.message
        if (this.child.pid === undefined) resolve()
      })
    })
  }

  get pid(): number | undefined {
    return this.alive ? this.child.pid : undefined
  }

  get alive(): boolean {
    return this.child.pid !== undefined && this.child.exitCode === null && this.child.signalCode === null
  }

  get exitCode(): number | null {
    return this.child.exitCode
  }

  /** Resolves once the server serves; what does not in its time is killed. */
  async ready(): Promise<void> {
    const until = Date.now() + this.spec.startTimeoutMs
    while (this.alive && Date.now() < until) {
      if (await this.spec.healthy().catch(() => false)) return
      await Promise.race([sleep(probeMs), this.exited])
    }
    const late = this.alive
    await this.kill()
    const why = late ? `did not serve within ${this.spec.startTimeoutMs / 1000} s` : `ended: ${this.describeExit()}`
    throw new ServerError(`${this.spec.name} ${why}. Its log is ${this.logFile}:\n${this.lastLines()}`)
  }

  async stop(): Promise<void> {
    this.signal('SIGTERM')
    await Promise.race([this.exited, sleep(this.spec.stopTimeoutMs, undefined, { ref: false })])
    await this.kill()
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL')
    await this.exited
  }

  signal(signal: NodeJS.Signals): void {
    if (this.alive) this.child.kill(signal)
  }

  describeExit(): string {
    if (this.failure) return this.failure
    const { signalCode, exitCode } = this.child
    return signalCode ? `killed by ${signalCode}` : `exit code ${exitCode}`
  }

  private lastLines(): string {
    return readFileSync(this.logFile, 'utf8').slice(-2_000).trim()
  }
}

export async function startServer(spec: ServerSpec, logFile: string): Promise<ServerProcess> {
  const server = new ServerProcess(spec, logFile)
  await server.ready()
  return server
}
