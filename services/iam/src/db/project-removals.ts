import { appendEvents } from '@millrace/events'
import type { Queryable } from '@millrace/postgres'

/** Longer than any request, cached credential or open stream outlives the deletion. */
const AGAIN_SECONDS = 30

export async function noteRemoval(tx: Queryable, projectId: string, slug: string): Promise<void> {
  await tx.query(
    `insert into project_removals (project_id, slug, due_at)
     values ($1, $2, clock_timestamp() + make_interval(secs => ${AGAIN_SECONDS})) on conflict (project_id) do nothing`,
    [projectId, slug],
  )
}

/** Publishes deletions once more: a request that was under way may have written something after the first time. */
export async function publishRemovals(tx: Queryable, limit = 100): Promise<void> {
  const { rows } = await tx.query<{ projectId: string; slug: string }>(
    `delete from project_removals where project_id in (
       select project_id from project_removals where due_at <= clock_timestamp() limit $1 for update skip locked)
     returning project_id as "projectId", slug`,
    [limit],
  )
  await appendEvents(
    tx,
    'iam',
    rows.map((data) => ({ topic: 'project.deleted' as const, key: data.projectId, data })),
  )
}
