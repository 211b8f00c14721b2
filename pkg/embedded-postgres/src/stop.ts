import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from './postmaster-file.js'

/** Fast shutdown, then immediate, then kill: each only if the one before did not end it in time. */
export async function stopPostmaster(pid: number, fastMs = 10_000): Promise<void> {
  const steps: [NodeJS.Signals, number][] = [
    ['SIGINT', fastMs],
    ['SIGQUIT', 5_000],
    ['SIGKILL', 5_000],
  ]
  for (const [signal, waitMs] of steps) {
    if (!send(pid, signal) || (await waitUntilGone(pid, waitMs))) return
  }
}

function send(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch {
    return false
  }
}

async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const until = Date.now() + timeoutMs
  while (isAlive(pid)) {
    if (Date.now() > until) return false
    await sleep(20)
  }
  return true
}
