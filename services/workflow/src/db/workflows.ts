import type { Queryable } from '@millrace/postgres'

export interface WorkflowRow {
  id: string
  name: string
  description: string
  tags: string[]
  paused: boolean
  latestVersion: number
  latestVersionId: string
  createdAt: Date
  updatedAt: Date
}

const columns = `id, name, description, tags, paused, latest_version as "latestVersion",
  latest_version_id as "latestVersionId", created_at as "createdAt", updated_at as "updatedAt"`

export async function findWorkflow(
  db: Queryable,
  projectId: string,
  name: string,
  lock = false,
): Promise<WorkflowRow | undefined> {
  const { rows } = await db.query<WorkflowRow>(
    `select ${columns} from workflows where project_id = $1 and name = $2 and archived_at is null ${lock ? 'for update' : ''}`,
    [projectId, name],
  )
  return rows[0]
}

export interface WorkflowFilter {
  projectId: string
  q?: string | undefined
  tag?: string | undefined
  paused?: boolean | undefined
  before?: { createdAt: string; id: string } | undefined
  limit: number
}

export async function listWorkflows(db: Queryable, filter: WorkflowFilter): Promise<WorkflowRow[]> {
  const { rows } = await db.query<WorkflowRow>(
    `select ${columns} from workflows
     where project_id = $1 and archived_at is null and not hidden
       and ($2::text is null or position(lower($2) in lower(name || ' ' || description)) > 0)
       and ($3::text is null or $3 = any(tags)) and ($4::boolean is null or paused = $4)
       and ($5::timestamptz is null or (created_at, id) < ($5, $6::uuid))
     order by created_at desc, id desc limit $7`,
    [
      filter.projectId,
      filter.q ?? null,
      filter.tag ?? null,
      filter.paused ?? null,
      filter.before?.createdAt ?? null,
      filter.before?.id ?? null,
      filter.limit,
    ],
  )
  return rows
}

export interface NewWorkflow {
  id: string
  projectId: string
  name: string
  description: string
  tags: string[]
  versionId: string
  at: Date
}

export async function insertWorkflow(db: Queryable, row: NewWorkflow): Promise<void> {
  await db.query(
    `insert into workflows (id, project_id, name, description, tags, latest_version, latest_version_id, created_at, updated_at)
     values ($1, $2, $3, $4, $5, 1, $6, $7, $7)`,
    [row.id, row.projectId, row.name, row.description, row.tags, row.versionId, row.at],
  )
}

export async function advanceWorkflow(
  db: Queryable,
  row: { id: string; version: number; versionId: string; description: string; tags: string[]; at: Date },
): Promise<void> {
  await db.query(
    `update workflows set latest_version = $2, latest_version_id = $3, description = $4, tags = $5, updated_at = $6 where id = $1`,
    [row.id, row.version, row.versionId, row.description, row.tags, row.at],
  )
}

/** Undefined when there is none of this name. */
export async function setWorkflowPaused(
  db: Queryable,
  projectId: string,
  name: string,
  paused: boolean,
): Promise<WorkflowRow | undefined> {
  const { rows } = await db.query<WorkflowRow>(
    `update workflows set paused = $3 where project_id = $1 and name = $2 and archived_at is null returning ${columns}`,
    [projectId, name, paused],
  )
  return rows[0]
}

/** A workflow nobody wrote, made by whoever needs it first. */
export async function ensureHiddenWorkflow(
  db: Queryable,
  row: { id: string; projectId: string; name: string; versionId: string; at: Date },
): Promise<boolean> {
  const result = await db.query(
    `insert into workflows (id, project_id, name, hidden, latest_version, latest_version_id, created_at, updated_at)
     values ($1, $2, $3, true, 1, $4, $5, $5) on conflict (project_id, name) where archived_at is null do nothing`,
    [row.id, row.projectId, row.name, row.versionId, row.at],
  )
  return result.rowCount === 1
}

export async function archiveWorkflow(db: Queryable, projectId: string, name: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `update workflows set archived_at = clock_timestamp() where project_id = $1 and name = $2 and archived_at is null returning id`,
    [projectId, name],
  )
  return rows[0]?.id
}
