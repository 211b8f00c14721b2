import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { TaskMessage, ThreadMessage } from './messages.js'

const lowPriority = 10

/** The thread's side of a pool: one task at a time, each answered by what `handle` returns. */
export function serveTasks(handle: (task: unknown) => unknown): void {
  const port = parentPort
  if (port === null) throw new Error('only a thread of a pool serves tasks')
  yieldToEventLoop()
  const post = (message: ThreadMessage): void => port.postMessage(message)
  port.on('message', ({ task }: TaskMessage) => {
    try {
      post({ kind: 'done', result: handle(task) })
    } catch (error) {
      post({ kind: 'threw', message: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  })
  post({ kind: 'ready' })
}

/** On Linux a thread has a priority of its own: with all cores in use the process's event loop is served first. */
function yieldToEventLoop(): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(lowPriority)
  } catch {
    // Not allowed in some sandboxes; the deadline bounds the harm.
  }
}
