import { readFileSync } from 'node:fs'
import { commandLine } from './standalone.js'

/** Of one main thread, in milliseconds: how long it ran, and how long it was ready and waited for a processor. */
interface Times {
  ran: number
  waited: number
}

export type ProcessorTimes = ReadonlyMap<number, Times>

/** Only Linux tells; elsewhere there is nothing to see. */
export function processorTimes(pids: readonly number[]): ProcessorTimes {
  return new Map(pids.map((pid) => [pid, timesOf(pid)]))
}

function timesOf(pid: number): Times {
  try {
    const [ran = 0, waited = 0] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ').map(Number)
    return { ran: ran / 1e6, waited: waited / 1e6 }
  } catch {
    return { ran: 0, waited: 0 }
  }
}

export function spent(before: ProcessorTimes, after: ProcessorTimes): ProcessorTimes {
  return new Map(
    [...after].map(([pid, { ran, waited }]) => {
      const since = before.get(pid) ?? { ran: 0, waited: 0 }
      return [pid, { ran: ran - since.ran, waited: waited - since.waited }]
    }),
  )
}

/** How much longer the work of all these threads took than on a machine of their own. */
export function slowdown(times: ProcessorTimes): number {
  let [ran, waited] = [0, 0]
  for (const one of times.values()) {
    ran += one.ran
    waited += one.waited
  }
  return ran > 0 ? Math.max(1, (ran + waited) / ran) : 1
}

/** For people: the threads that ran longest. */
export function describeTimes(times: ProcessorTimes): string {
  return [...times]
    .sort(([, a], [, b]) => b.ran - a.ran)
    .slice(0, 4)
    .map(([pid, { ran }]) => `${nameOf(pid)} ${Math.round(ran)} ms`)
    .join(', ')
}

/** The script of a Node process, the title of one of PostgreSQL. */
function nameOf(pid: number): string {
  const parts = commandLine(String(pid)).split('\0')
  return parts.find((part) => part.endsWith('.js'))?.replace(/^.*\//, '') ?? parts[0] ?? String(pid)
}
