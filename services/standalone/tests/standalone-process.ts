import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, waitFor } from '@millrace/testkit'

const main = join(import.meta.dirname, '..', 'dist', 'main.js')

export interface Place {
  dataDir: string
  port: number
  grpcPort: number
  remove(): Promise<void>
}

/** A data dir with an awkward name and two free ports. */
export async function makePlace(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace standalone '))
  chmodSync(folder, 0o711)
  const dataDir = join(folder, 'data')
  const [port, grpcPort] = await Promise.all([freePort(), freePort()])
  return {
    dataDir,
    port,
    grpcPort,
    async remove() {
      for (const { pid } of processesOf(dataDir)) process.kill(pid, 'SIGKILL')
      await waitFor(() => processesOf(dataDir).length === 0, { timeoutMs: 10_000 })
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

export class Standalone {
  readonly process: ChildProcess
  output = ''
  private readonly exit: Promise<unknown>

  constructor(
    readonly place: Place,
    env: Record<string, string> = {},
  ) {
    this.process = spawn(process.execPath, [main], {
      env: {
        ...pathOnly(),
        // What runs the tests is what is tested, unless said otherwise.
        MILLRACE_NODE: process.env.MILLRACE_NODE ?? 'system',
        MILLRACE_DATA_DIR: place.dataDir,
        MILLRACE_PORT: String(place.port),
        MILLRACE_GRPC_PORT: String(place.grpcPort),
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [this.process.stdout, this.process.stderr]) {
      stream?.on('data', (chunk: Buffer) => {
        this.output += chunk.toString()
      })
    }
    this.exit = once(this.process, 'close')
  }

  async ready(): Promise<this> {
    await waitFor(
      () => {
        if (this.process.exitCode !== null) throw new Error(`ended before it was ready:\n${this.output}`)
        return /ready/.test(this.output)
      },
      { timeoutMs: 90_000 },
    )
    return this
  }

  async exitCode(): Promise<number | null> {
    await this.exit
    return this.process.exitCode
  }

  kill(signal: NodeJS.Signals): void {
    this.process.kill(signal)
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.place.port}${path}`
  }

  lines(pattern: RegExp): string[] {
    return this.output.split('\n').filter((line) => pattern.test(line))
  }
}

function pathOnly(): Record<string, string> {
  return { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
}

/** Every process whose command line names the data dir: the children and PostgreSQL, not the supervisor. */
export function processesOf(dataDir: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), command: readCommand(name) }))
    .filter(({ command }) => command.includes(dataDir))
}

function readCommand(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}
