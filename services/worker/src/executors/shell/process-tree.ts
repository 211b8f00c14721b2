import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import type { ShellUser } from './isolation.js'

/** In the environment of every process of an attempt: what left the process group is found by it. */
export const scopeVariable = 'TASK_SCOPE'

/** What tells the processes of an attempt from all others. */
export interface ProcessMarks {
  groupId: number | undefined
  scope: string
  /** Set when the user belongs to this attempt alone. */
  user: ShellUser | undefined
}

/** Ends, or asks to end, every process of an attempt. */
export async function killTree(marks: ProcessMarks, signal: NodeJS.Signals): Promise<void> {
  if (marks.groupId !== undefined) kill(-marks.groupId, signal)
  if (!marks.user) return killMarked(marks, signal)
  try {
    const [file, args, options] = signalEveryProcess(marks.user, signal)
    await once(spawn(file, args, options), 'exit')
  } catch {
    killMarked(marks, signal)
  }
}

/** For the end of the worker's own process, when nothing asynchronous runs any more. */
export function killTreeNow(marks: ProcessMarks): void {
  if (marks.groupId !== undefined) kill(-marks.groupId, 'SIGKILL')
  if (marks.user) spawnSync(...signalEveryProcess(marks.user, 'SIGKILL'))
  killMarked(marks, 'SIGKILL')
}

/**
 * The kernel signals every process of the user in one go, so none can fork out of it, as it can while a list of
 * processes is read. The sender is of that user and is left out.
 */
function signalEveryProcess({ uid, gid }: ShellUser, signal: NodeJS.Signals) {
  const script = `kill -${signal.replace('SIG', '')} -1`
  return ['/bin/sh', ['-c', script], { uid, gid, env: {}, cwd: '/', stdio: 'ignore', timeout: 5_000 }] as const
}

/** Only Linux shows environments and parents; elsewhere the group has to do. */
function killMarked({ groupId, scope }: ProcessMarks, signal: NodeJS.Signals): void {
  const mark = `${scopeVariable}=${scope}`
  const ids = processIds()
  const found = new Set(ids.filter((pid) => environmentOf(pid).includes(mark)))
  if (groupId !== undefined) for (const pid of descendants(groupId, ids)) found.add(pid)
  for (const pid of found) kill(pid, signal)
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

function descendants(root: number, ids: readonly number[]): number[] {
  const children = new Map<number, number[]>()
  for (const pid of ids) {
    const parent = parentOf(pid)
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const found: number[] = []
  for (let next = children.get(root) ?? []; next.length > 0; next = next.flatMap((pid) => children.get(pid) ?? [])) {
    found.push(...next)
  }
  return found
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid)
  } catch {
    return []
  }
}

function environmentOf(pid: number): string[] {
  return readProc(pid, 'environ').split('\0')
}

function parentOf(pid: number): number | undefined {
  const parent = /^PPid:\s+(\d+)$/m.exec(readProc(pid, 'status'))?.[1]
  return parent === undefined ? undefined : Number(parent)
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1')
  } catch {
    return ''
  }
}
