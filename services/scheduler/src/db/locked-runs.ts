/**
 * The runs of tasks that are about to enter the queue. Locked before the tasks, as all do who hold both: a statement that
 * looked at a run and did not hold it would give a task of one that is paused meanwhile its place in the queue.
 */
export const lockedRuns = (runIds: string): string => `run as materialized (
  select r.id, r.status, r.workflow, r.version, r.traceparent from runs r where r.id in (${runIds}) order by r.id for share
)`
