import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitFor } from '@millrace/testkit'
import { databaseAnswers, readyPostmaster } from './postmaster.js'

interface Entry {
  name: string
  state: string
  pid?: number
  address: string
  restarts: number
}

/**
 * Bounds in time are asserted as promised with STRICT_LATENCY=1. A machine that does other work at the same time needs
 * more: the broker notices a killed member after 6 s, and the rest is the turn of a dozen processes on two cores.
 */
export const leisure = process.env.STRICT_LATENCY === '1' ? 1 : 3

/** FerretDB, which stands in for MongoDB, takes some dozens of documents a second on two busy cores. */
export const recordedWithinMs = 300_000

/** How long an outage lasts; shorter for a quick look, never in CI. */
export const outageMs = Number(process.env.MILLRACE_TEST_OUTAGE_SECONDS ?? 30) * 1_000

/** Where a process of the stack is named. */
export const postgres = 'postgres'

/** The processes of the stack under test, through what its supervisor keeps in its data dir. */
export class StackControl {
  private readonly held = new Set<string>()

  constructor(private readonly dataDir = process.env.MILLRACE_TARGET_STACK_DIR ?? '') {
    if (this.dataDir === '') throw new Error('MILLRACE_TARGET_STACK_DIR is not set: run make test-stack')
  }

  /** For what no answer of the API shows. */
  get databaseUrl(): string {
    return this.status().databaseUrl
  }

  private status(): { databaseUrl: string; entries: Entry[] } {
    return JSON.parse(readFileSync(join(this.dataDir, 'stack.json'), 'utf8'))
  }

  names(): string[] {
    return this.status().entries.map(({ name }) => name)
  }

  entry(name: string): Entry {
    const found = this.status().entries.find((entry) => entry.name === name)
    if (found === undefined) throw new Error(`the stack has no ${name}`)
    return found
  }

  /** kill -9. It is started again at once, unless it is held. */
  kill(name: string): void {
    const { pid } = this.entry(name)
    if (pid !== undefined) process.kill(pid, 'SIGKILL')
  }

  /**
   * kill -9 of the process alone, then until its supervisor has it back. PostgreSQL is none of the entries: its
   * supervisor starts it on the same port, so back is a new postmaster that answers at the same address.
   */
  async killAndAwait(name: string, timeoutMs: number): Promise<void> {
    const isBack = name === postgres ? this.killPostmaster() : this.killEntry(name)
    await waitFor(isBack, { timeoutMs, what: `${name} is back` })
  }

  private killEntry(name: string): () => boolean {
    const { restarts } = this.entry(name)
    this.kill(name)
    return () => this.entry(name).restarts > restarts && this.entry(name).state === 'up'
  }

  private killPostmaster(): () => Promise<boolean> {
    const before = readyPostmaster(this.dataDir)
    if (before === undefined) throw new Error(`no PostgreSQL is ready in ${this.dataDir}`)
    process.kill(before, 'SIGKILL')
    return async () => {
      const now = readyPostmaster(this.dataDir)
      return now !== undefined && now !== before && (await databaseAnswers(this.databaseUrl))
    }
  }

  /** kill -9, and it stays down until it is released. */
  async takeDown(...names: string[]): Promise<void> {
    mkdirSync(join(this.dataDir, 'hold'), { recursive: true })
    for (const name of names) {
      this.held.add(name)
      writeFileSync(this.holdFile(name), '')
    }
    for (const name of names) this.kill(name)
    for (const name of names) await this.waitUntil(name, 'held')
  }

  async bringBack(...names: string[]): Promise<void> {
    for (const name of names) {
      rmSync(this.holdFile(name), { force: true })
      this.held.delete(name)
    }
    for (const name of names) await this.waitUntil(name, 'up')
  }

  /** For the end of a test, whatever happened in it. */
  async restore(): Promise<void> {
    await this.bringBack(...this.held)
  }

  async waitUntil(name: string, state: string): Promise<void> {
    await waitFor(() => this.entry(name).state === state, { timeoutMs: 300_000, what: `${name} is ${state}` })
  }

  logs(name: string): string {
    return readFileSync(join(this.dataDir, 'logs', `${name}.log`), 'utf8')
  }

  private holdFile(name: string): string {
    return join(this.dataDir, 'hold', name)
  }
}
