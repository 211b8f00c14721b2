import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, waitFor } from '@millrace/testkit'

const main = join(import.meta.dirname, '..', '..', 'services', 'standalone', 'dist', 'main.js')

/** A deployment on this machine: what can be killed, started again on its data, and looked into. */
export class Standalone {
  output = ''
  private process: ChildProcess | undefined
  private closed: Promise<unknown> = Promise.resolve()

  private constructor(
    private readonly folder: string,
    readonly port: number,
    readonly grpcPort: number,
    private readonly env: Record<string, string>,
  ) {}

  static async make(env: Record<string, string>): Promise<Standalone> {
    const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-'))
    chmodSync(folder, 0o711)
    const [port, grpcPort] = await Promise.all([freePort(), freePort()])
    return new Standalone(folder, port, grpcPort, env)
  }

  get dataDir(): string {
    return join(this.folder, 'data')
  }

  /** Also by the main of another version. */
  async start(program = main): Promise<void> {
    this.output = ''
    const child = spawn(process.execPath, [program], {
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        // What runs the tests is what is tested, unless said otherwise.
        MILLRACE_NODE: process.env.MILLRACE_NODE ?? 'system',
        MILLRACE_DATA_DIR: this.dataDir,
        MILLRACE_PORT: String(this.port),
        MILLRACE_GRPC_PORT: String(this.grpcPort),
        ...this.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
    }
    this.process = child
    this.closed = once(child, 'close')
    await waitFor(() => child.exitCode !== null || /ready at/.test(this.output), { timeoutMs: 180_000, what: 'ready' })
    if (child.exitCode !== null) throw new Error(`Millrace ended before it was ready:\n${this.output}`)
  }

  /** kill -9 of the supervisor, its children and PostgreSQL, as when the power goes. */
  async crash(): Promise<void> {
    this.process?.kill('SIGKILL')
    await this.killLeftovers()
    await this.closed
  }

  get isRunning(): boolean {
    return this.process?.exitCode === null && this.process.signalCode === null
  }

  /** After the supervisor died by itself: its children end with it, and what does not is ended. */
  async restart(): Promise<void> {
    await this.closed
    await this.start()
  }

  /** Stops, and starts on the same data with other settings. */
  async startAgain(change: Record<string, string>): Promise<void> {
    await this.stop()
    Object.assign(this.env, change)
    await this.start()
  }

  async stop(): Promise<number | null> {
    this.process?.kill('SIGTERM')
    await this.closed
    return this.process?.exitCode ?? null
  }

  /** Ends whatever still runs and removes the data. */
  async remove(): Promise<void> {
    if (this.process?.exitCode === null && this.process.signalCode === null) {
      this.process.kill('SIGKILL')
      await this.killLeftovers()
    }
    await this.killLeftovers()
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 })
  }

  logs(): string {
    const folder = join(this.dataDir, 'logs')
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n')
  }

  /** Where the embedded database answers, for counting what no answer of the API shows. */
  databaseUrl(): string {
    const folder = join(this.dataDir, 'postgres')
    const port = readFileSync(join(folder, 'cluster', 'postmaster.pid'), 'utf8').split('\n')[3]
    const password = readFileSync(join(folder, 'password'), 'utf8').trim()
    return `postgresql://millrace:${password}@127.0.0.1:${port}/millrace`
  }

  private async killLeftovers(): Promise<void> {
    await waitFor(
      () => {
        const pids = this.processes()
        for (const pid of pids) {
          try {
            process.kill(pid, 'SIGKILL')
          } catch {
            // It ended by itself.
          }
        }
        return pids.length === 0
      },
      { timeoutMs: 20_000, what: 'no process left' },
    )
  }

  /** All that name its data dir: the children and PostgreSQL. */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid && commandLine(name).includes(this.dataDir))
      .map(Number)
  }
}

export function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
