import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface StatusEntry {
  name: string
  state: string
  pid: number | undefined
  address: string
  restarts: number
  since: string
  log: string
}

export interface StackStatus {
  /** Of the supervisor. */
  pid: number
  url: string
  ready: boolean
  databaseUrl: string
  entries: StatusEntry[]
}

const fileOf = (dataDir: string): string => join(dataDir, 'stack.json')

/** Private: it names the database with its password. */
export function writeStatus(dataDir: string, status: StackStatus): void {
  const draft = `${fileOf(dataDir)}.new`
  writeFileSync(draft, JSON.stringify(status, null, 2), { mode: 0o600 })
  renameSync(draft, fileOf(dataDir))
}

export function readStatus(dataDir: string): StackStatus | undefined {
  try {
    return JSON.parse(readFileSync(fileOf(dataDir), 'utf8')) as StackStatus
  } catch {
    return undefined
  }
}

export function removeStatus(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true })
}

export function formatEntry({ name, state, pid, address, restarts, log }: StatusEntry): string {
  const again = restarts === 0 ? '' : `  started again ${restarts}×`
  return `  ${name.padEnd(14)}${state.padEnd(10)}${address.padEnd(18)}${pid === undefined ? '' : `pid ${pid}`.padEnd(13)}${log}${again}`
}
