import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface PostmasterFile {
  pid: number
  port: number
  ready: boolean
  lines: string[]
}

/** postmaster.pid: pid, data dir, start time, port, socket dir, listen address, shared memory key, status. */
export function readPostmasterFile(cluster: string): PostmasterFile | undefined {
  let text: string
  try {
    text = readFileSync(join(cluster, 'postmaster.pid'), 'utf8')
  } catch {
    return undefined
  }
  const lines = text.split('\n')
  return {
    pid: Math.abs(Number(lines[0])),
    port: Number(lines[3]),
    ready: lines[7]?.trim() === 'ready',
    lines,
  }
}

/**
 * A pid may have been given to a stranger since a crash (always so after a container restart), or stay as a zombie that
 * no init process reaps; PostgreSQL would take either for a live postmaster. It takes its
 * parent's pid in the file as stale, and unlike deleting the file this keeps its check of the old shared memory.
 */
export function disownStalePostmaster(cluster: string, file: PostmasterFile): void {
  writeFileSync(join(cluster, 'postmaster.pid'), [String(process.pid), ...file.lines.slice(1)].join('\n'))
}

/** A live process whose command line names this path; tells ours from a stranger that was given the same pid. */
export function isProcessOf(pid: number, text: string): boolean {
  return isAlive(pid) && commandLine(pid).includes(text)
}

/** A zombie counts as dead: without an init process nobody reaps an orphan, and kill(0) still finds it. */
export function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z'
  } catch {
    return process.platform !== 'linux'
  }
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    try {
      return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' })
    } catch {
      return ''
    }
  }
}
