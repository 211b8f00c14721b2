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

export interface RunCounts {
  counts: Record<string, number>
  /** Those of the ids that are among the counted, or would be but for the filter. */
  takenIds: string[]
}

/** In one statement: a run that arrives meanwhile is counted and named, or neither. */
export async function countRuns(client: Queryable, filter: CountFilter, ids: readonly string[]): Promise<RunCounts> {
  const { projectId, workflow, from, to } = filter
  const { name, text, values } = queryOf(projectId, workflow, from, to)
  const { rows } = await client.query<RunCounts>({
    name,
    text: `with counted as (${text})
select coalesce((select json_object_agg(status, count) from counted), '{}') as counts,
  array(select id::text from runs where id = any($${values.length + 1}::uuid[])) as "takenIds"`,
    values: [...values, ids],
  })
  return rows[0] ?? { counts: {}, takenIds: [] }
}

function queryOf(projectId: string, workflow: string, from: string | null, to: string | null) {
  if (from !== null || to !== null) {
    return { name: 'count-runs', text: within, values: [projectId, workflow, from, to] }
  }
  if (workflow === '') return { name: 'count-all-runs', text: all(''), values: [projectId] }
  return { name: 'count-runs-of', text: all(' and r.workflow = $2'), values: [projectId, workflow] }
}
