import { threadId } from 'node:worker_threads'
import { serveTasks } from '@millrace/off-thread'

serveTasks((task) => {
  if (task.hang) for (;;);
  if (task.throw) throw new Error('as asked')
  if (task.exit) process.exit(3)
  if (task.fill) for (const kept = []; ; ) kept.push(new Array(1000).fill(kept.length))
  return { ...task, thread: threadId }
})
