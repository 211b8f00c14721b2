import type { Run, Task } from '../api/types'

/** How the events of a run's stream change what is known of it. Pure. */

const sameTask = (a: Task, b: Task): boolean => a.key === b.key && a.index === b.index

/** A stream may say the same twice, and a snapshot may come late: a task never goes back in time. */
function isOlder(next: Task, known: Task): boolean {
  if (next.attempt !== known.attempt) return next.attempt < known.attempt
  return (
    known.finishedAt !== null &&
    known.finishedAt !== undefined &&
    !next.finishedAt &&
    next.startedAt === known.startedAt &&
    next.status === 'running'
  )
}

export function withTask(run: Run, task: Task): Run {
  const at = run.tasks.findIndex((each) => sameTask(each, task))
  if (at < 0) return { ...run, tasks: [...run.tasks, task] }
  const known = run.tasks[at]
  if (known && isOlder(task, known)) return run
  return { ...run, tasks: run.tasks.with(at, task) }
}

export const withRun = (run: Run, change: Partial<Run>): Run => ({ ...run, ...change, tasks: run.tasks })

export type RunChange =
  | { event: 'snapshot'; data: Run }
  | { event: 'run'; data: Partial<Run> }
  | { event: 'task'; data: Task }

/** Many at once: a map's items end by the hundred, and the page is drawn once for all of them. */
export function applyChanges(run: Run | undefined, changes: readonly RunChange[]): Run | undefined {
  let current = run
  for (const change of changes) {
    if (change.event === 'snapshot') current = change.data
    else if (current) current = change.event === 'run' ? withRun(current, change.data) : withTask(current, change.data)
  }
  return current
}
