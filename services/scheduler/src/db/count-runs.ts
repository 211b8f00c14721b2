import type { Queryable } from '@millrace/postgres'

export interface CountFilter {
  projectId: string
  workflow: string
  from: string | null
  to: string | null
}

// By creation: as many rows as lie within the times.
const within = `
select r.status, count(*)::int as count from runs r
where r.project_id = $1
  and ($2 = '' or r.workflow = $2)
  and ($3::timestamptz is null or r.created_at >= $3::timestamptz)
  and ($4::timestamptz is null or r.created_at < $4::timestamptz)
group by r.status`

// All of them: from two indexes that hold the status, without a look at the runs themselves.
const all = (workflow: string): string => `
select status, sum(count)::int as count from (
  select r.status, count(*) from runs r where r.project_id = $1 and r.finished_at is null${workflow} group by r.status
  union all
  select r.status, count(*) from runs r where r.project_id = $1 and r.finished_at is not null${workflow} group by r.status
) counted group by status`

export async function countRuns(client: Queryable, filter: CountFilter): Promise<Record<string, number>> {
  const { projectId, workflow, from, to } = filter
  const { rows } = await client.query<{ status: string; count: number }>(queryOf(projectId, workflow, from, to))
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

function queryOf(projectId: string, workflow: string, from: string | null, to: string | null) {
  if (from !== null || to !== null) {
    return { name: 'count-runs', text: within, values: [projectId, workflow, from, to] }
  }
  if (workflow === '') return { name: 'count-all-runs', text: all(''), values: [projectId] }
  return { name: 'count-runs-of', text: all(' and r.workflow = $2'), values: [projectId, workflow] }
}
