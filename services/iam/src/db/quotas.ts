import type { Queryable } from '@millrace/postgres'
import { effectiveQuotas, type Quotas } from '../domain/quotas.js'

export interface RevisedQuotas {
  projectId: string
  quotas: Quotas
  revision: number
}

/** By id, or by slug where no id is given. */
export async function findQuotas(
  db: Queryable,
  by: { projectId: string } | { slug: string },
): Promise<RevisedQuotas | undefined> {
  const { rows } = await db.query<{ id: string; quotas: Partial<Quotas>; revision: string }>(
    `select id, quotas, quotas_revision as revision from projects
     where archived_at is null and ${'slug' in by ? 'slug' : 'id'} = $1`,
    ['slug' in by ? by.slug : by.projectId],
  )
  const [row] = rows
  return row && { projectId: row.id, quotas: effectiveQuotas(row.quotas), revision: Number(row.revision) }
}
