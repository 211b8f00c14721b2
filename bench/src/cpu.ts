import { readdirSync, readFileSync } from 'node:fs'

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
    return { pid, parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) }
  } catch {
    return undefined
  }
}

function labelOf(pid: number): string {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim()
    if (/postgres/.test(command) && !/dist\//.test(command)) return 'postgres'
    return /dist\/([a-z-]+)\.js/.exec(command)?.[1] ?? command.slice(0, 20)
  } catch {
    return 'gone'
  }
}

export function cpuSeconds(roots: readonly number[]): CpuSeconds {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => look(Number(name)) ?? [])
  const wanted = new Set(roots)
  // A child's number may be lower than its parent's: go on until nothing is added.
  for (let size = -1; size !== wanted.size; ) {
    size = wanted.size
    for (const { pid, parent } of all) if (wanted.has(parent)) wanted.add(pid)
  }
  const seconds: CpuSeconds = new Map()
  for (const { pid, ticks } of all) {
    if (!wanted.has(pid)) continue
    const label = labelOf(pid)
    seconds.set(label, (seconds.get(label) ?? 0) + ticks / TICKS_A_SECOND)
  }
  return seconds
}

export function cpuUsed(before: CpuSeconds, after: CpuSeconds): string {
  return [...after]
    .map(([label, value]) => `${label} ${(value - (before.get(label) ?? 0)).toFixed(2)}`)
    .sort()
    .join(', ')
}
