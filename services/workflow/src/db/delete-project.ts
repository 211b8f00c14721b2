import { crashPoint } from '@millrace/crash-point'
import type { Queryable } from '@millrace/postgres'

const SLICE = 1_000

/** By which nothing new comes into being. The definitions stay while the scheduler ends what is under way. */
const closing = [
  `delete from hooks where id in (select id from hooks where project_id = $1 limit ${SLICE})`,
  `delete from draft_dependencies where id in (select d.id from draft_dependencies d join drafts f on f.id = d.draft_id
     where f.project_id = $1 limit ${SLICE})`,
  `delete from draft_tasks where id in (select t.id from draft_tasks t join drafts f on f.id = t.draft_id
     where f.project_id = $1 limit ${SLICE})`,
  `delete from drafts where id in (select id from drafts where project_id = $1 limit ${SLICE})`,
  `delete from idempotency_keys where ctid = any (array(select ctid from idempotency_keys where project_id = $1 limit ${SLICE}))`,
  `delete from bulk_jobs where id in (select id from bulk_jobs where project_id = $1 limit ${SLICE})`,
  // Of these the scheduler was never told.
  `delete from run_requests where id in (select id from run_requests where project_id = $1 and waiting limit ${SLICE})`,
  `update workflows set archived_at = clock_timestamp() where id in (
     select id from workflows where project_id = $1 and archived_at is null limit ${SLICE})`,
]

const emptying = [
  ...closing,
  `delete from run_requests where id in (select id from run_requests where project_id = $1 limit ${SLICE})`,
  `delete from workflow_versions where id in (select id from workflow_versions where project_id = $1 limit ${SLICE})`,
  `delete from daily_runs where ctid = any (array(select ctid from daily_runs where project_id = $1 limit ${SLICE}))`,
  `delete from workflows where id in (select id from workflows where project_id = $1 limit ${SLICE})`,
]

async function runAll(db: Queryable, statements: readonly string[], projectId: string): Promise<void> {
  for (const statement of statements) {
    while ((await db.query(statement, [projectId])).rowCount === SLICE);
    crashPoint('workflow.deletion.statement')
  }
}

export const closeProject = (db: Queryable, projectId: string): Promise<void> => runAll(db, closing, projectId)

export const deleteProject = (db: Queryable, projectId: string): Promise<void> => runAll(db, emptying, projectId)
