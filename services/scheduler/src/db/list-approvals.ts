import type { Queryable } from '@millrace/postgres'
import { type TaskView, taskColumns, taskSource } from './queries.js'

export interface ApprovalRow extends TaskView {
  run_created_at: Date
}

export interface ApprovalFilter {
  projectId: string
  after: { createdAt: string; id: string } | null
  limit: number
}

/**
 * Approvals that wait, those of the oldest runs first, whatever role they ask for: that stands in a user's JSON, which SQL
 * must not take apart (a NUL inside it would fail the statement).
 */
export async function listApprovals(client: Queryable, filter: ApprovalFilter): Promise<ApprovalRow[]> {
  const { rows } = await client.query<ApprovalRow>({
    name: 'list-approvals',
    text: `
select ${taskColumns}, false as output_omitted, r.created_at as run_created_at
from ${taskSource} join runs r on r.id = t.run_id
where t.project_id = $1 and t.uses = 'approval' and t.status = 'waiting'
  and ($2::timestamptz is null or (r.created_at, t.id) > ($2::timestamptz, $3::uuid))
order by r.created_at, t.id limit $4`,
    values: [filter.projectId, filter.after?.createdAt ?? null, filter.after?.id ?? null, filter.limit],
  })
  return rows
}
