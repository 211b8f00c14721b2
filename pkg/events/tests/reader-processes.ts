import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ReaderProcess } from '../src/contract.js'

/** Starts a script that says `ready`, then the key of each event it handles. */
export async function startReaderProcess(script: URL, args: readonly string[]): Promise<ReaderProcess> {
  const child = fork(fileURLToPath(script), [...args], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const seen: string[] = []
  await once(child, 'message')
  child.on('message', (key) => seen.push(String(key)))
  return {
    seen,
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGKILL')
      await exited
    },
  }
}
