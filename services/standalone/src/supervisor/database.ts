import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError, type RunningPostgres, startPostgres } from '@millrace/embedded-postgres'
import { StartupError } from './startup-error.js'
import { verifyDatabase } from './verify-database.js'

export interface Database {
  url: string
  description: string
  stop(): Promise<void>
  /** Fires when the embedded server died and could not be brought back. */
  onLost(callback: (why: string) => void): void
}

export interface DatabaseOptions {
  databaseUrl: string | undefined
  dataDir: string
  onRestart(): void
}

export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  if (options.databaseUrl !== undefined) {
    await verifyDatabase(options.databaseUrl)
    return {
      url: options.databaseUrl,
      description: `PostgreSQL at ${new URL(options.databaseUrl).host}`,
      stop: async () => undefined,
      onLost: () => undefined,
    }
  }
  return new EmbeddedDatabase(options, await start(options.dataDir))
}

async function start(dataDir: string, port?: number): Promise<RunningPostgres> {
  try {
    return await startPostgres({
      dataDir: join(dataDir, 'postgres'),
      logFile: join(dataDir, 'logs', 'postgres.log'),
      ...(port === undefined ? {} : { port }),
    })
  } catch (error) {
    if (error instanceof EmbeddedPostgresError) throw new StartupError(error.message)
    throw error
  }
}

const watchMs = 100
/** For so long without one good start it is tried; a server that is killed while it recovers may need many. */
const restartForMs = 300_000
const restartDelayMs = 250
const maxRestartDelayMs = 1_000

/** Brings the server back on the same port when it dies, so that every pool reconnects to where it was. */
class EmbeddedDatabase implements Database {
  readonly url: string
  readonly description: string
  private lost: (why: string) => void = () => undefined
  private ending = false
  private restarting: Promise<void> | undefined
  private readonly timer: NodeJS.Timeout

  constructor(
    private readonly options: DatabaseOptions,
    private server: RunningPostgres,
  ) {
    this.url = server.url
    this.description = describe(server, options.dataDir)
    this.timer = setInterval(() => this.look(), watchMs)
  }

  onLost(callback: (why: string) => void): void {
    this.lost = callback
  }

  async stop(): Promise<void> {
    this.ending = true
    clearInterval(this.timer)
    await this.restarting
    await this.server.stop()
  }

  private look(): void {
    if (this.ending || this.restarting || this.server.isAlive()) return
    this.options.onRestart()
    this.restarting = this.bringBack().finally(() => {
      this.restarting = undefined
    })
  }

  /** A failed start is no verdict, and twenty are none: whatever killed the server may kill it while it recovers. */
  private async bringBack(): Promise<void> {
    const deadline = Date.now() + restartForMs
    for (let delayMs = restartDelayMs; !this.ending; delayMs = Math.min(maxRestartDelayMs, delayMs * 2)) {
      try {
        this.server = await start(this.options.dataDir, this.server.port)
        return
      } catch (error) {
        if (Date.now() > deadline) {
          this.ending = true
          this.lost((error as Error).message)
        } else await sleep(delayMs)
      }
    }
  }
}

function describe({ port, adopted, cluster }: RunningPostgres, dataDir: string): string {
  const elsewhere = cluster.startsWith(dataDir) ? '' : `, its files in ${cluster}`
  return `embedded PostgreSQL on port ${port}${adopted ? ' (was still running)' : ''}${elsewhere}`
}
