import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'

/** Seconds of CPU used so far, by kind of process, of everything that descends from the given processes. */
export type CpuSeconds = Map<string, number>

const TICKS_A_SECOND = 100

interface Seen {
  pid: number
  parent: number
  ticks: number
}

function look(pid: number): Seen | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // Also what its ended children used: connections of PostgreSQL come and go.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return { pid, parent: Number(fields[1]), ticks }
  } catch {
    return undefined
  }
}

/** Nothing if it has ended meanwhile. */
function residentKb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

function labelOf(pid: number): string {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()
    if (/postgres/.test(command) && !/dist\//.test(command)) return 'postgres'
    const [, folder, name] = /([a-z-]+)\/dist\/([a-z-]+)\.js/.exec(command) ?? []
    // On the stack every service has a main of its own.
    if (name !== undefined) return name === 'main' ? (folder ?? name) : name
    return `other: ${basename(command.split(' ')[0] ?? '')}`
  } catch {
    return 'gone'
  }
}

function descendants(roots: readonly number[]): Seen[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => look(Number(name)) ?? [])
  const wanted = new Set(roots)
  // A child's number may be lower than its parent's: go on until nothing is added.
  for (let size = -1; size !== wanted.size; ) {
    size = wanted.size
    for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid)
  }
  return all.filter(({ pid }) => wanted.has(pid))
}

export function cpuSeconds(roots: readonly number[]): CpuSeconds {
  const seconds: CpuSeconds = new Map()
  for (const { pid, ticks } of descendants(roots)) {
    const label = labelOf(pid)
    seconds.set(label, (seconds.get(label) ?? 0) + ticks / TICKS_A_SECOND)
  }
  return seconds
}

const sum = (values: readonly number[]): number => values.reduce((total, each) => total + each, 0)

export const totalSeconds = (seconds: CpuSeconds): number => sum([...seconds.values()])

/** Resident memory by kind of process, PostgreSQL left out, MB; pages that processes share are counted by each. */
export function residentMbByKind(roots: readonly number[]): Record<string, number> {
  const sizes: Record<string, number> = {}
  for (const { pid } of descendants(roots)) {
    const label = labelOf(pid)
    if (label !== 'postgres') sizes[label] = (sizes[label] ?? 0) + residentKb(pid) / 1000
  }
  return sizes
}

/** Of Millrace's own processes, not of Kafka, Envoy and the like. */
export const ownMb = (byKind: Readonly<Record<string, number>>): number =>
  sum(Object.entries(byKind).flatMap(([kind, size]) => (kind.startsWith('other: ') ? [] : size)))

export const residentMb = (roots: readonly number[]): number => ownMb(residentMbByKind(roots))

export function cpuUsed(before: CpuSeconds, after: CpuSeconds): string {
  return [...after]
    .map(([label, value]) => `${label} ${(value - (before.get(label) ?? 0)).toFixed(2)}`)
    .sort()
    .join(', ')
}
