import type { Definition, Graph } from '@millrace/definition'
import type { Queryable } from '@millrace/postgres'

export interface VersionRow {
  id: string
  workflowId: string
  projectId: string
  name: string
  version: number
  definition: Definition
  graph: Graph
  contentHash: string
  createdBy: string
  createdAt: Date
}

const columns = `v.id, v.workflow_id as "workflowId", v.project_id as "projectId", v.name, v.version, v.definition, v.graph,
  v.content_hash as "contentHash", v.created_by as "createdBy", v.created_at as "createdAt"`

export async function findVersion(db: Queryable, id: string): Promise<VersionRow | undefined> {
  const { rows } = await db.query<VersionRow>({
    name: 'workflow-find-version',
    text: `select ${columns} from workflow_versions v where v.id = $1`,
    values: [id],
  })
  return rows[0]
}

/** The newest version when `version` is 0. */
export async function resolveVersion(
  db: Queryable,
  projectId: string,
  name: string,
  version: number,
): Promise<{ workflowExists: boolean; row?: VersionRow }> {
  const { rows } = await db.query<VersionRow & { id: string | null }>({
    name: 'workflow-resolve-version',
    text: `select ${columns}
      from workflows f left join workflow_versions v
        on v.workflow_id = f.id and v.version = case when $3 = 0 then f.latest_version else $3 end
      where f.project_id = $1 and f.name = $2 and f.archived_at is null`,
    values: [projectId, name, version],
  })
  const [row] = rows
  if (row === undefined) return { workflowExists: false }
  return row.id === null ? { workflowExists: true } : { workflowExists: true, row }
}

export async function findVersionByContent(
  db: Queryable,
  workflowId: string,
  contentHash: string,
): Promise<VersionRow | undefined> {
  const { rows } = await db.query<VersionRow>(
    `select ${columns} from workflow_versions v where v.workflow_id = $1 and v.content_hash = $2 limit 1`,
    [workflowId, contentHash],
  )
  return rows[0]
}

export interface NewVersion extends Omit<VersionRow, 'definition' | 'graph'> {
  definitionJson: string
  graphJson: string
}

export async function insertVersion(db: Queryable, row: NewVersion): Promise<void> {
  await db.query(
    `insert into workflow_versions (id, workflow_id, project_id, name, version, definition, graph, content_hash, created_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      row.id,
      row.workflowId,
      row.projectId,
      row.name,
      row.version,
      row.definitionJson,
      row.graphJson,
      row.contentHash,
      row.createdBy,
      row.createdAt,
    ],
  )
}

export type VersionSummary = Pick<VersionRow, 'id' | 'version' | 'createdBy' | 'createdAt'>

export async function listVersions(
  db: Queryable,
  workflowId: string,
  before: number | undefined,
  limit: number,
): Promise<VersionSummary[]> {
  const { rows } = await db.query<VersionSummary>(
    `select id, version, created_by as "createdBy", created_at as "createdAt" from workflow_versions
     where workflow_id = $1 and ($2::int is null or version < $2) order by version desc limit $3`,
    [workflowId, before ?? null, limit],
  )
  return rows
}
