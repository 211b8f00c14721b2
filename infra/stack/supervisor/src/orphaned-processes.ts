import { setTimeout as sleep } from 'node:timers/promises'
import { isProcessOf } from '@millrace/embedded-postgres'
import { readStatus } from './status-file.js'

const patienceMs = 8_000

/** Ends what a killed supervisor left: processes whose command line names this data dir, and no others. */
export async function endOrphanedProcesses(dataDir: string): Promise<number> {
  const pids = (readStatus(dataDir)?.entries ?? []).map((entry) => entry.pid).filter((pid) => pid !== undefined)
  const alive = () => pids.filter((pid) => isProcessOf(pid, dataDir))
  const found = alive().length
  for (const pid of alive()) process.kill(pid, 'SIGTERM')
  const until = Date.now() + patienceMs
  while (alive().length > 0 && Date.now() < until) await sleep(50)
  for (const pid of alive()) process.kill(pid, 'SIGKILL')
  while (alive().length > 0) await sleep(20)
  return found
}
