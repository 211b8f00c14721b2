import type { Queryable } from '@millrace/postgres'

export interface RemovedRemains {
  runs: number
  tasks: number
}

const byTask = `
with task as materialized (select unnest($1::uuid[]) as id),
  payloads as (delete from task_payloads x using task where x.task_id = task.id),
  failures as (delete from attempt_failures x using task where x.task_id = task.id),
  dead as (delete from dead_letters x using task where x.task_id = task.id),
  children as (delete from child_runs x using task where x.task_id = task.id),
  progress as (delete from task_progress x using task where x.task_id = task.id),
  limited as (delete from task_limits x using task where x.task_id = task.id)
delete from tasks x using task where x.id = task.id`

// The run's own large output is a payload under the run's id.
const byRun = `
with run as materialized (select unnest($1::uuid[]) as id),
  payloads as (delete from task_payloads x using run where x.task_id = run.id),
  maps as (delete from map_groups x using run where x.run_id = run.id),
  signals as (delete from run_signals x using run where x.run_id = run.id),
  inbox as (delete from run_inbox x using run where x.run_id = run.id),
  timer as (delete from timers x using run where x.run_id = run.id),
  admissions as (delete from run_admissions x using run where x.run_id = run.id),
  deferred as (delete from held_back x using run where x.run_id = run.id)
delete from run_deletions x using run where x.run_id = run.id`

/**
 * What is left of runs that were deleted: at most so many tasks at once, since one run may have ten thousands. In the
 * caller's transaction; replicas skip each other's runs.
 */
export async function removeRemains(
  tx: Queryable,
  limit: { runs: number; tasks: number },
): Promise<RemovedRemains | undefined> {
  const found = await tx.query<{ run_id: string }>({
    name: 'find-run-deletions',
    text: 'select run_id from run_deletions order by run_id limit $1 for update skip locked',
    values: [limit.runs],
  })
  if (found.rows.length === 0) return undefined
  const runIds = found.rows.map((row) => row.run_id)
  const tasks = await tx.query<{ id: string }>({
    name: 'find-tasks-of-deletions',
    text: 'select id from tasks where run_id = any($1::uuid[]) limit $2',
    values: [runIds, limit.tasks],
  })
  const taskIds = tasks.rows.map((row) => row.id)
  if (taskIds.length > 0) await tx.query({ name: 'remove-by-task', text: byTask, values: [taskIds] })
  if (taskIds.length === limit.tasks) return { runs: 0, tasks: taskIds.length }
  await tx.query({ name: 'remove-by-run', text: byRun, values: [runIds] })
  return { runs: runIds.length, tasks: taskIds.length }
}
