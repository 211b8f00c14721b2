import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive, isProcessOf } from '@millrace/embedded-postgres'
import { lockInstance, openDatabase, StartupError, type Terminal } from '@millrace/standalone-service'
import { endOrphanedProcesses } from './orphaned-processes.js'
import { readStatus, removeStatus } from './status-file.js'

const patienceMs = 90_000

/** Stops the supervisor, which stops everything; what one that was killed left is ended here. */
export async function takeDown(dataDir: string, terminal: Terminal): Promise<number> {
  const status = readStatus(dataDir)
  if (status === undefined) {
    terminal.line(`No stack runs on ${dataDir}.`)
    return 0
  }
  if (isProcessOf(status.pid, 'stack')) {
    process.kill(status.pid, 'SIGTERM')
    const until = Date.now() + patienceMs
    while (isAlive(status.pid) && Date.now() < until) await sleep(100)
    if (isAlive(status.pid)) throw new StartupError(`The supervisor (process ${status.pid}) did not stop.`)
  } else {
    await endProcesses(dataDir)
  }
  terminal.line('The stack is down.')
  return 0
}

async function endProcesses(dataDir: string): Promise<void> {
  const lock = await lockInstance(dataDir, 'make stack-down')
  await endOrphanedProcesses(dataDir)
  // Adopts the server that still runs, or starts it to shut it down cleanly.
  const database = await openDatabase({ databaseUrl: undefined, dataDir, onRestart: () => undefined })
  await database.stop()
  removeStatus(dataDir)
  lock.release()
}
