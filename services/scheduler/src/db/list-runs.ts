import type { Queryable } from '@millrace/postgres'
import { type RunStatus, runHasEnded } from '../domain/run-state.js'
import { type RunView, runSummaryColumns } from './queries.js'

export interface RunFilter {
  projectId: string
  workflow: string
  statuses: readonly string[]
  labels: Record<string, string>
  from: string | null
  to: string | null
  /** Part of the workflow's name or of what a failed run says of its error, or a whole id; in any case. */
  query: string
  /** Only runs that failed, with exactly this code. */
  errorCode: string
  /** Strictly behind this, in the order. */
  before: { createdAt: string; id: string } | null
  oldestFirst: boolean
  limit: number
}

/** Without what they were given and gave: nobody shows that in a list, and a page of it could be any size. */
export async function listRuns(client: Queryable, filter: RunFilter): Promise<RunView[]> {
  const labels = Object.entries(filter.labels)
  const query = filter.query.toLowerCase()
  const result = await client.query<RunView>({
    ...listRunsQuery(filter),
    values: [
      filter.projectId,
      filter.workflow,
      filter.statuses,
      labels.map(([name]) => name),
      labels.map(([, value]) => value),
      filter.from,
      filter.to,
      query,
      `%${query.replace(/[\\%_]/g, '\\$&')}%`,
      filter.before?.createdAt ?? null,
      filter.before?.id ?? null,
      filter.limit,
      filter.errorCode,
    ],
  })
  return result.rows
}

// Errors are `json`, which takes what no text can hold, such as NUL; taking that apart fails. New errors have none of it, those
// of earlier versions may.
const errorText = (text: string): string =>
  `case when r.status = 'failed' and pg_input_is_valid(r.error::text, 'jsonb') then ${text} end`

/**
 * A run has a finish exactly when it has ended. Saying so lets what asks for open runs alone use the index of those; by
 * the index of all, the oldest open run of a project is found behind every run that ended before it was created. In the
 * same way `runs_failed` serves what asks for failed runs alone, which every filter by an error's code does.
 */
export function listRunsQuery({ statuses, errorCode, oldestFirst }: RunFilter): { name: string; text: string } {
  const kind = kindOf(statuses, errorCode)
  const [behind, direction] = oldestFirst ? ['>', 'asc'] : ['<', 'desc']
  return {
    name: `list-${kind}-runs${oldestFirst ? '-oldest' : ''}`,
    text: `
select ${runSummaryColumns} from runs r
where r.project_id = $1${onlyOf[kind]}
  and ($2 = '' or r.workflow = $2)
  and (cardinality($3::text[]) = 0 or r.status = any($3::text[]))
  and not exists (select 1 from unnest($4::text[], $5::text[]) as l(name, value) where r.labels ->> l.name is distinct from l.value)
  and ($6::timestamptz is null or r.created_at >= $6::timestamptz)
  and ($7::timestamptz is null or r.created_at < $7::timestamptz)
  and ($8 = '' or r.id::text = $8 or lower(r.workflow) like $9
    or ${errorText(`lower((r.error ->> 'code') || ' ' || (r.error ->> 'message')) like $9`)})
  and ($13 = '' or ${errorText(`r.error ->> 'code' = $13`)})
  and ($10::timestamptz is null or (r.created_at, r.id) ${behind} ($10::timestamptz, $11::uuid))
order by r.created_at ${direction}, r.id ${direction} limit $12`,
  }
}

const onlyOf = { all: '', open: ' and r.finished_at is null', failed: ` and r.status = 'failed'` } as const

function kindOf(statuses: readonly string[], errorCode: string): keyof typeof onlyOf {
  if (errorCode !== '' || (statuses.length > 0 && statuses.every((status) => status === 'failed'))) return 'failed'
  return statuses.length > 0 && !statuses.some((status) => runHasEnded(status as RunStatus)) ? 'open' : 'all'
}
