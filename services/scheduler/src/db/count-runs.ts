import type { Queryable } from '@millrace/postgres'

export interface CountFilter {
  projectId: string
  workflow: string
  from: string | null
  to: string | null
}

export async function countRuns(client: Queryable, filter: CountFilter): Promise<Record<string, number>> {
  const { rows } = await client.query<{ status: string; count: number }>({
    name: 'count-runs',
    text: `
select r.status, count(*)::int as count from runs r
where r.project_id = $1
  and ($2 = '' or r.workflow = $2)
  and ($3::timestamptz is null or r.created_at >= $3::timestamptz)
  and ($4::timestamptz is null or r.created_at < $4::timestamptz)
group by r.status`,
    values: [filter.projectId, filter.workflow, filter.from, filter.to],
  })
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}
