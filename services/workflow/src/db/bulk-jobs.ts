import type { Queryable } from '@millrace/postgres'

export type BulkAction = 'cancel' | 'retry' | 'delete'

export interface BulkError {
  runId: string
  code: string
  message: string
}

export interface BulkJob {
  id: string
  projectId: string
  action: BulkAction
  requestedBy: string
  matched: number
  done: number
  skipped: number
  failed: number
  errors: BulkError[]
  createdAt: Date
  finishedAt: Date | null
}

const columns = `id, project_id as "projectId", action, requested_by as "requestedBy", matched, done, skipped, failed, errors,
  created_at as "createdAt", finished_at as "finishedAt"`

export async function insertBulkJob(
  tx: Queryable,
  job: Pick<BulkJob, 'id' | 'projectId' | 'action' | 'requestedBy'>,
  runIds: readonly string[],
): Promise<void> {
  await tx.query(
    `insert into bulk_jobs (id, project_id, action, requested_by, matched, finished_at)
     values ($1, $2, $3, $4, $5::int, case when $5::int = 0 then clock_timestamp() end)`,
    [job.id, job.projectId, job.action, job.requestedBy, runIds.length],
  )
  await tx.query('insert into bulk_items (job_id, run_id) select $1, unnest($2::uuid[])', [job.id, runIds])
}

export async function findBulkJob(db: Queryable, projectId: string, id: string): Promise<BulkJob | undefined> {
  const { rows } = await db.query<BulkJob>(`select ${columns} from bulk_jobs where id = $1 and project_id = $2`, [
    id,
    projectId,
  ])
  return rows[0]
}

/** The one that waits longest; several replicas take different ones. A claim that is not renewed ends by itself. */
export async function claimBulkJob(db: Queryable, claimMs: number): Promise<BulkJob | undefined> {
  const { rows } = await db.query<BulkJob>({
    name: 'claim-bulk-job',
    text: `update bulk_jobs set claimed_until = clock_timestamp() + make_interval(secs => $1 / 1000.0) where id = (
       select id from bulk_jobs where finished_at is null and claimed_until < clock_timestamp()
       order by claimed_until, created_at limit 1 for update skip locked)
     returning ${columns}`,
    values: [claimMs],
  })
  return rows[0]
}

export async function listBulkItems(db: Queryable, jobId: string, limit: number): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    'select run_id as id from bulk_items where job_id = $1 order by run_id limit $2',
    [jobId, limit],
  )
  return rows.map((row) => row.id)
}

/** Gives the generation that was written first, whoever wrote it. */
export async function recordGenerations(
  db: Queryable,
  jobId: string,
  generations: ReadonlyMap<string, number>,
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ id: string; generation: number }>(
    `update bulk_items i set generation = coalesce(i.generation, s.generation)
     from unnest($2::uuid[], $3::integer[]) s (run_id, generation) where i.job_id = $1 and i.run_id = s.run_id
     returning i.run_id as id, i.generation`,
    [jobId, [...generations.keys()], [...generations.values()]],
  )
  return new Map(rows.map(({ id, generation }) => [id, generation]))
}

export interface BulkProgress {
  runIds: readonly string[]
  done: number
  skipped: number
  errors: readonly BulkError[]
}

const SHOWN_ERRORS = 20

/** What was dealt with is counted once: only rows that this call removes count. Gives the claim back. */
export async function recordProgress(tx: Queryable, jobId: string, progress: BulkProgress): Promise<void> {
  const { rowCount } = await tx.query('delete from bulk_items where job_id = $1 and run_id = any($2::uuid[])', [
    jobId,
    progress.runIds,
  ])
  // Another replica did these meanwhile: our claim had ended.
  if (rowCount !== progress.runIds.length) return
  const { rows } = await tx.query<{ errors: BulkError[] }>('select errors from bulk_jobs where id = $1 for update', [
    jobId,
  ])
  const errors = [...(rows[0]?.errors ?? []), ...progress.errors].slice(0, SHOWN_ERRORS)
  await tx.query(
    `update bulk_jobs set done = done + $2, skipped = skipped + $3, failed = failed + $4, errors = $5,
       claimed_until = clock_timestamp(),
       finished_at = case when not exists (select 1 from bulk_items where job_id = $1) then clock_timestamp() end
     where id = $1`,
    [jobId, progress.done, progress.skipped, progress.errors.length, JSON.stringify(errors)],
  )
}

export async function purgeBulkJobs(db: Queryable, days: number): Promise<void> {
  await db.query(
    `delete from bulk_jobs where id in (
       select id from bulk_jobs where finished_at < clock_timestamp() - make_interval(days => $1) limit 100)`,
    [days],
  )
}
