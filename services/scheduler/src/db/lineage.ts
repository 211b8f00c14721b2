import type { Queryable } from '@millrace/postgres'
import { type RunView, runSummaryColumns } from './queries.js'

export type Relation = 'parent' | 'child' | 'rerun_of' | 'rerun'

export interface RelatedRun extends RunView {
  relation: Relation
  task: string
  index: number
}

/** Sub-workflows are at most 8 deep; reruns of reruns are followed so far back. */
const STEPS = 20
const SHOWN = 200

// Upwards step by step, downwards one step: whoever wants more asks a child. Origins name runs that may be deleted since.
const lineage = `
with recursive up as (
  select 'parent' as relation, r.origin #>> '{parent,runId}' as id, coalesce(r.origin #>> '{parent,key}', '') as task,
    coalesce((r.origin #>> '{parent,index}')::int, -1) as index, 1 as n
  from runs r where r.id = $1 and r.project_id = $2
  union all
  select 'rerun_of', r.origin #>> '{rerun,runId}', '', -1, 1 from runs r where r.id = $1 and r.project_id = $2
  union all
  select up.relation, case when up.relation = 'parent' then r.origin #>> '{parent,runId}' else r.origin #>> '{rerun,runId}' end,
    case when up.relation = 'parent' then coalesce(r.origin #>> '{parent,key}', '') else '' end,
    case when up.relation = 'parent' then coalesce((r.origin #>> '{parent,index}')::int, -1) else -1 end, up.n + 1
  from up join runs r on r.id = up.id::uuid where up.n < ${STEPS} and r.origin is not null
), related as (
  select up.relation, up.id::uuid as id, up.task, up.index, up.n from up where up.id is not null
  union all
  (select 'child', c.id, coalesce(c.origin #>> '{parent,key}', ''), coalesce((c.origin #>> '{parent,index}')::int, -1), 1
   from runs c where c.origin is not null and c.origin #>> '{parent,runId}' = $1::text limit ${SHOWN})
  union all
  (select 'rerun', c.id, '', -1, 1
   from runs c where c.origin is not null and c.origin #>> '{rerun,runId}' = $1::text limit ${SHOWN})
)
select l.relation, l.task, l.index, ${runSummaryColumns}
from related l join runs r on r.id = l.id and r.project_id = $2
order by l.relation, l.n, r.created_at desc, r.id desc`

export async function findLineage(db: Queryable, runId: string, projectId: string): Promise<RelatedRun[]> {
  const { rows } = await db.query<RelatedRun>({ name: 'find-lineage', text: lineage, values: [runId, projectId] })
  return rows
}
