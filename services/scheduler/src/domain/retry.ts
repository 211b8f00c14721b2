import { advanceAll, beginAttempt } from './advance.js'
import type { RetryCommand } from './commands.js'
import type { Draft } from './draft.js'

/**
 * Reopens a run. Failed tasks get as many attempts again as their policy gives; what was skipped or cancelled waits for
 * its needs anew. What succeeded stays.
 */
export function retryRun(draft: Draft, command: RetryCommand): void {
  if (draft.status !== 'failed' && draft.status !== 'cancelled') return
  draft.requireExact()
  const chosen = command.taskId === undefined ? null : draft.indexOf(command.taskId)
  const again = draft.tasks.flatMap((task, index) =>
    task.status === 'failed' && (chosen === null || chosen === index) ? [index] : [],
  )
  draft.moveRun('running', { reason: null, error: null, reopened: true })
  draft.stopping = false
  draft.tasks.forEach((task, index) => {
    const { retry } = draft.plan.tasks[index] ?? {}
    const maxAttempts = task.attempt + (retry?.maxAttempts ?? 1)
    if (task.status === 'skipped' || task.status === 'cancelled') {
      draft.moveTask(index, 'pending', { error: null, ...(task.attempt > 0 ? { maxAttempts } : {}) })
    } else if (again.includes(index)) draft.moveTask(index, 'pending', { maxAttempts })
  })
  for (const index of again) beginAttempt(draft, index, 0, command.input)
  advanceAll(draft, 0)
}
