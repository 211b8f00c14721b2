import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isProcessOf } from '@millrace/embedded-postgres'

/** Pids of the children, kept so that the next start can clear away what a killed supervisor left. */
export class ProcessRecord {
  private readonly file: string

  constructor(private readonly dataDir: string) {
    this.file = join(dataDir, 'processes.json')
  }

  write(pids: number[]): void {
    writeFileSync(this.file, JSON.stringify(pids), { mode: 0o600 })
  }

  remove(): void {
    rmSync(this.file, { force: true })
  }

  /** They notice by themselves within seconds; one that is stuck is killed. Says whether there were any. */
  async endOrphanedProcesses(patienceMs = 4_000): Promise<boolean> {
    const until = Date.now() + patienceMs
    const found = this.alive()
    while (this.alive().length > 0 && Date.now() < until) await sleep(50)
    for (const pid of this.alive()) process.kill(pid, 'SIGKILL')
    while (this.alive().length > 0) await sleep(20)
    return found.length > 0
  }

  private alive(): number[] {
    return this.read().filter((pid) => isProcessOf(pid, this.dataDir))
  }

  private read(): number[] {
    try {
      const pids: unknown = JSON.parse(readFileSync(this.file, 'utf8'))
      return Array.isArray(pids) ? pids.filter((pid) => Number.isInteger(pid) && pid > 1) : []
    } catch {
      return []
    }
  }
}
