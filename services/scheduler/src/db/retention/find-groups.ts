import type { Queryable } from '@millrace/postgres'

/** All ended runs of one workflow, and how long they are kept. */
export interface RunGroup {
  project_id: string
  workflow: string
  /** 0 = for ever. */
  keep_ms: number
  /** 0 = any number. */
  keep_runs: number
  /** Its project was deleted: nothing is kept. */
  project_deleted: boolean
}

// Steps from workflow to workflow through the index: one look-up each, however many runs they have.
const nextGroups = `
with recursive step as (
  (select r.project_id, r.workflow, 1 as n from runs r
   where r.finished_at is not null and (r.project_id, r.workflow) > ($1::uuid, $2::text)
   order by r.project_id, r.workflow limit 1)
  union all
  select next.project_id, next.workflow, step.n + 1 from step cross join lateral (
    select r.project_id, r.workflow from runs r
    where r.finished_at is not null and (r.project_id, r.workflow) > (step.project_id, step.workflow)
    order by r.project_id, r.workflow limit 1
  ) next where step.n < $3
)
select s.project_id, s.workflow, coalesce(w.keep_ms, p.keep_ms, $4::bigint) as keep_ms,
  coalesce(w.keep_runs, p.keep_runs, 0) as keep_runs,
  exists (select 1 from deleted_projects d where d.project_id = s.project_id) as project_deleted
from step s
left join retention_policies w on w.project_id = s.project_id and w.workflow = s.workflow
left join retention_policies p on p.project_id = s.project_id and p.workflow = ''
order by s.project_id, s.workflow`

export interface GroupPosition {
  projectId: string
  workflow: string
}

export async function findGroups(
  db: Queryable,
  after: GroupPosition,
  page: { limit: number; keepMs: number },
): Promise<RunGroup[]> {
  const { rows } = await db.query<RunGroup>({
    name: 'retention-groups',
    text: nextGroups,
    values: [after.projectId, after.workflow, page.limit, page.keepMs],
  })
  return rows
}
