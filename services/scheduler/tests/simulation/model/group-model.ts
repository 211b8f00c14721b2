import { putInInbox } from './inbox-model.js'
import type { Statement } from './statement.js'
import type { MapGroupTuple, TaskTuple } from './tables.js'

export const groupKey = ({ run_id, ordinal }: { run_id: string; ordinal: number }): string => `${run_id}/${ordinal}`

/** Of a map that ends for one of these reasons, what runs is asked to stop. */
export const isHard = (ending: string | null): boolean => ending !== null && ending !== 'stop'

const open = new Set(['queued', 'running', 'delayed', 'waiting'])
const idle = new Set(['queued', 'delayed', 'waiting'])
export const isIdle = (task: TaskTuple): boolean => idle.has(task.status)
export const isOpen = (task: TaskTuple): boolean => open.has(task.status)

/** The group's row under its lock, if it was and is as the condition says. */
export function lockGroup(
  s: Statement,
  place: { run_id: string; ordinal: number },
  condition: (group: MapGroupTuple) => boolean = () => true,
): MapGroupTuple | undefined {
  const seen = s.seen.get('map_groups', groupKey(place))
  const latest = s.reach('map_groups', groupKey(place))
  return seen && latest && condition(seen) && condition(latest) ? latest : undefined
}

/** Whoever ends a group tells its run. */
export function putGroup(s: Statement, group: MapGroupTuple): void {
  s.live.put('map_groups', groupKey(group), group)
  if (group.closed_at === null) return
  const { run_id, task_id: taskId, round } = group
  putInInbox(s, run_id, { kind: 'map-ended', taskId, round } as never, `map:${taskId}:${round}`)
}

export function childrenOf(
  tables: Statement['seen'],
  { run_id, ordinal }: { run_id: string; ordinal: number },
): TaskTuple[] {
  const children: TaskTuple[] = []
  for (const task of tables.all('tasks')) {
    if (task.idx >= 0 && task.run_id === run_id && task.ordinal === ordinal) children.push(task)
  }
  return children.sort((a, b) => a.idx - b.idx)
}

const facts = (s: Statement, task: TaskTuple) => {
  const run = s.seen.get('runs', task.run_id)
  const { id: taskId, run_id: runId, project_id: projectId, key, idx: index } = task
  return { run, facts: { taskId, runId, projectId, workflow: run?.workflow, version: run?.version, key, index } }
}

export function tell(
  s: Statement,
  task: TaskTuple,
  topic: string,
  source: string,
  data: (facts: Record<string, unknown>) => object,
) {
  const { run, facts: known } = facts(s, task)
  if (!run) return
  const id = s.live.next('events')
  s.live.put('events', id, {
    ...{ id, topic, key: task.run_id, subject: task.id, source, time: s.now, sequence: task.rev },
    traceparent: run.traceparent,
    data: data(known) as Record<string, unknown>,
  })
}

const parsed = (text: string | null): unknown => (text === null ? null : JSON.parse(text))

export function tellUpdate(s: Statement, task: TaskTuple): void {
  const { uses, queue, status, attempt, max_attempts: maxAttempts, worker_id } = task
  const error = task.error === null ? {} : { error: parsed(task.error) }
  tell(s, task, 'task.updated', 'scheduler', (known) => ({
    ...{ ...known, uses, queue, status, attempt, maxAttempts, workerId: worker_id ?? '', ...error },
    labels: parsed(s.seen.get('runs', task.run_id)?.labels ?? '{}'),
  }))
}

export function keepFailure(s: Statement, task: TaskTuple): void {
  const { id: task_id, attempt, worker_id } = task
  const row = { task_id, attempt, at: s.now, worker_id, error: task.error ?? 'null' }
  s.live.put('attempt_failures', `${task_id}/${attempt}`, row)
}

/** A dead letter for a child that finally failed. */
export function insertDeadLetter(s: Statement, task: TaskTuple, deadLetterId: string | null): void {
  if (deadLetterId === null) return
  const { id: task_id, project_id, run_id, attempt } = task
  const deadLetter = {
    id: deadLetterId,
    project_id,
    run_id,
    task_id,
    class: (parsed(task.error) as { class: string }).class,
    error: task.error ?? 'null',
  }
  s.live.put('dead_letters', deadLetter.id, { ...deadLetter, state: 'open', at: s.now })
  const labels = JSON.parse(s.seen.get('runs', run_id)?.labels ?? '{}') as object
  tell(s, task, 'task.dead-lettered', 'scheduler', (known) => ({
    ...known,
    attempt,
    error: parsed(task.error),
    labels,
  }))
}
