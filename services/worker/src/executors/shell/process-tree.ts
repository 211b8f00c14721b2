import { readdirSync, readFileSync } from 'node:fs'

/** In the environment of every process of an attempt: what left the process group is found by it. */
export const scopeVariable = 'TASK_SCOPE'

/** The group, and whatever of the attempt began a session of its own. */
export function killTree(groupId: number | undefined, scope: string, signal: NodeJS.Signals): void {
  if (groupId !== undefined) kill(-groupId, signal)
  for (const pid of strays(scope)) kill(pid, signal)
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended by itself.
  }
}

/** Only Linux shows environments; elsewhere the group has to do. */
function strays(scope: string): number[] {
  const mark = `${scopeVariable}=${scope}`
  return processIds().filter((pid) => environmentOf(pid).includes(mark))
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
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    return []
  }
}
