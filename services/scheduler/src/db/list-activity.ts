import type { Queryable } from '@millrace/postgres'

export interface WorkflowActivity {
  workflow: string
  open: number
  next_at: Date | null
  ended: EndedRun[]
}

export interface EndedRun {
  id: string
  status: string
  created_at: string
  started_at: string | null
  finished_at: string
}

/**
 * By when they ended: `runs_ended` holds that order for each workflow, so that a few rows of each are read however many
 * runs there are. The newest by creation would need an index that every change of every run writes to.
 */
const text = `
with due as materialized (
  select workflow, min(next_at) as next_at from schedules
  where project_id = $1 and workflow = any($2::text[]) and not paused group by workflow
)
select w.workflow, o.open, d.next_at, e.ended
from unnest($2::text[]) with ordinality as w(workflow, place)
left join due d on d.workflow = w.workflow
cross join lateral (
  select count(*)::int as open from runs r
  where r.project_id = $1 and r.workflow = w.workflow and r.finished_at is null
) o
cross join lateral (
  select coalesce(json_agg(l order by l.finished_at desc), '[]') as ended from (
    select r.id, r.status, r.created_at, r.started_at, r.finished_at from runs r
    where r.project_id = $1 and r.workflow = w.workflow and r.finished_at is not null
    order by r.finished_at desc limit $3
  ) l
) e
order by w.place`

/** What each of these workflows did last, in their order. */
export async function listActivity(
  client: Queryable,
  filter: { projectId: string; workflows: readonly string[]; limit: number },
): Promise<WorkflowActivity[]> {
  const values = [filter.projectId, filter.workflows, filter.limit]
  const { rows } = await client.query<WorkflowActivity>({ name: 'list-activity', text, values })
  return rows
}
