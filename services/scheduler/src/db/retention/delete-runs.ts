import { appendEvents } from '@millrace/events'
import type { Queryable } from '@millrace/postgres'

/** The project of what is left of a run: no caller has it, so nobody finds the run. */
export const NO_PROJECT = '00000000-0000-0000-0000-000000000000'

/**
 * A run that ended lately leaves its id behind, so that a `workflow.started` that comes again does not create it anew, and
 * its deletion is published again at the end of each stage, for what of it was still under way. Events are kept for 7 days.
 */
export const tombstoneStages = [
  { workflow: 'deleted:1', keepMs: 30_000, next: 'deleted:2' },
  { workflow: 'deleted:2', keepMs: 10 * 60_000, next: 'deleted:3' },
  { workflow: 'deleted:3', keepMs: 8 * 86_400_000, next: undefined },
] as const

export type TombstoneStage = (typeof tombstoneStages)[number]

// Locked first, so that a retry that reopens one and its deletion exclude each other; what somebody holds is left for
// later. A tombstone reads as succeeded: no command changes such a run.
const removeLocked = `
, update_tombstones as (
  update runs r set project_id = '${NO_PROJECT}', workflow = '${tombstoneStages[0].workflow}', workflow_id = null, version = 0,
    status = 'succeeded', reason = null, rev = r.rev + 1, labels = '{}', requested_by = '', traceparent = null, origin = null,
    queue_defaults = null, input = null, output = null, error = null, finished_at = clock_timestamp()
  from doomed d where r.id = d.id and d.finished_at > clock_timestamp() - interval '8 days'
), delete_old_runs as (
  delete from runs r using doomed d where r.id = d.id and d.finished_at <= clock_timestamp() - interval '8 days'
), insert_deletions as (
  insert into run_deletions (run_id) select id from doomed on conflict do nothing
)
select id, finished_at from doomed`

export interface DeletedRun {
  id: string
  finished_at: Date
}

const expired = `
with bound as materialized (
  select greatest(
    case when $3::bigint > 0 then clock_timestamp() - make_interval(secs => $3 / 1000.0) end,
    case when $4::int > 0 then (
      select r.finished_at from runs r where r.project_id = $1 and r.workflow = $2 and r.finished_at is not null
      order by r.finished_at desc offset $4 limit 1) end) as at
), doomed as materialized (
  select r.id, r.finished_at from runs r
  where r.project_id = $1 and r.workflow = $2 and r.finished_at is not null and r.finished_at <= (select at from bound)
  order by r.finished_at limit $5 for update skip locked
)${removeLocked}`

export interface Expiry {
  projectId: string
  workflow: string
  /** 0 = for ever. */
  keepMs: number
  /** 0 = any number. */
  keepRuns: number
  limit: number
}

/** The oldest runs of a workflow that are past their time or their number. In the caller's transaction. */
export async function deleteExpiredRuns(tx: Queryable, expiry: Expiry): Promise<DeletedRun[]> {
  const { rows } = await tx.query<DeletedRun>({
    name: 'delete-expired-runs',
    text: expired,
    values: [expiry.projectId, expiry.workflow, expiry.keepMs, expiry.keepRuns, expiry.limit],
  })
  await announce(tx, expiry.projectId, rows)
  return rows
}

const named = `
with doomed as materialized (
  select r.id, r.finished_at from runs r
  where r.id = any($2::uuid[]) and r.project_id = $1 and r.finished_at is not null order by r.id for update
)${removeLocked}`

/** These of the project's runs, as far as they have ended. */
export async function deleteRunsById(tx: Queryable, projectId: string, ids: readonly string[]): Promise<DeletedRun[]> {
  const { rows } = await tx.query<DeletedRun>({ name: 'delete-runs-by-id', text: named, values: [projectId, ids] })
  await announce(tx, projectId, rows)
  return rows
}

/** Publishes the deletion of runs once more, and takes their tombstones a stage on. */
export async function advanceTombstones(tx: Queryable, stage: TombstoneStage, limit: number): Promise<number> {
  const due = `select id from runs where project_id = '${NO_PROJECT}' and workflow = $1
    and finished_at <= clock_timestamp() - make_interval(secs => $2 / 1000.0) order by finished_at limit $3 for update skip locked`
  const values = [stage.workflow, stage.keepMs, limit]
  const { rows } = stage.next
    ? await tx.query<DeletedRun>(`update runs set workflow = $4 where id in (${due}) returning id`, [
        ...values,
        stage.next,
      ])
    : await tx.query<DeletedRun>(`delete from runs where id in (${due}) returning id`, values)
  await announce(tx, '', rows)
  return rows.length
}

async function announce(tx: Queryable, projectId: string, runs: readonly Pick<DeletedRun, 'id'>[]): Promise<void> {
  if (runs.length === 0) return
  const data = { projectId, runIds: runs.map(({ id }) => id) }
  await appendEvents(tx, 'scheduler', [{ topic: 'runs.deleted', key: projectId || NO_PROJECT, data }])
}
