import type { Queryable } from '@millrace/postgres'

export interface DraftRow {
  id: string
  name: string
  /** What it was published as, if it was. */
  workflowId: string | null
}

export interface DraftTaskRow {
  id: string
  key: string
  name: string
  uses: string
  with: Record<string, unknown> | null
}

export interface DraftDependencyRow {
  id: string
  taskId: string
  dependsOnTaskId: string
}

export async function insertDraft(
  db: Queryable,
  draft: { id: string; projectId: string; name: string; createdBy: string; createdAt: Date },
): Promise<void> {
  await db.query('insert into drafts (id, project_id, name, created_by, created_at) values ($1, $2, $3, $4, $5)', [
    draft.id,
    draft.projectId,
    draft.name,
    draft.createdBy,
    draft.createdAt,
  ])
}

/** The lock puts those who build one draft in a row: two dependencies that close a cycle cannot pass each other. */
export async function lockDraft(db: Queryable, projectId: string, id: string): Promise<DraftRow | undefined> {
  const { rows } = await db.query<DraftRow>(
    'select id, name, workflow_id as "workflowId" from drafts where id = $1 and project_id = $2 for update',
    [id, projectId],
  )
  return rows[0]
}

export async function linkDraft(db: Queryable, id: string, workflowId: string): Promise<void> {
  await db.query('update drafts set workflow_id = $2 where id = $1', [id, workflowId])
}

/** In the order in which they were added. */
export async function listDraftTasks(db: Queryable, draftId: string): Promise<DraftTaskRow[]> {
  const { rows } = await db.query<DraftTaskRow>(
    'select id, key, name, uses, "with" from draft_tasks where draft_id = $1 order by position',
    [draftId],
  )
  return rows
}

/** Without what each is given, which may be large. */
export async function listDraftKeys(db: Queryable, draftId: string): Promise<Pick<DraftTaskRow, 'id' | 'key'>[]> {
  const { rows } = await db.query<Pick<DraftTaskRow, 'id' | 'key'>>(
    'select id, key from draft_tasks where draft_id = $1 order by position',
    [draftId],
  )
  return rows
}

export async function insertDraftTask(
  db: Queryable,
  task: {
    id: string
    draftId: string
    position: number
    key: string
    name: string
    uses: string
    withJson: string | null
  },
): Promise<void> {
  await db.query(
    'insert into draft_tasks (id, draft_id, position, key, name, uses, "with") values ($1, $2, $3, $4, $5, $6, $7)',
    [task.id, task.draftId, task.position, task.key, task.name, task.uses, task.withJson],
  )
}

export async function listDraftDependencies(db: Queryable, draftId: string): Promise<DraftDependencyRow[]> {
  const { rows } = await db.query<DraftDependencyRow>(
    `select id, task_id as "taskId", depends_on_task_id as "dependsOnTaskId" from draft_dependencies
     where draft_id = $1 order by id`,
    [draftId],
  )
  return rows
}

export async function insertDraftDependency(
  db: Queryable,
  edge: { id: string; draftId: string; taskId: string; dependsOnTaskId: string },
): Promise<void> {
  await db.query('insert into draft_dependencies (id, draft_id, task_id, depends_on_task_id) values ($1, $2, $3, $4)', [
    edge.id,
    edge.draftId,
    edge.taskId,
    edge.dependsOnTaskId,
  ])
}
