import { crashPoint } from '@millrace/crash-point'
import type { Queryable } from '@millrace/postgres'

const SLICE = 1_000

/** Attempts go with them. What is still to be sent is sent: somebody asked to be told. */
export async function deleteDeliveriesOf(db: Queryable, runIds: readonly string[]): Promise<void> {
  const statement = `delete from deliveries where id in (
    select id from deliveries where run_id = any($1::uuid[]) and status <> 'pending' limit ${SLICE})`
  while ((await db.query(statement, [runIds])).rowCount === SLICE);
}

const ofProject = [
  `delete from digest_items where ctid = any (array(select i.ctid from digest_items i
     join subscriptions s on s.id = i.subscription_id where s.project_id = $1 limit ${SLICE}))`,
  `delete from deliveries where id in (select id from deliveries where project_id = $1 limit ${SLICE})`,
  `delete from subscriptions where id in (select id from subscriptions where project_id = $1 limit ${SLICE})`,
  `delete from recipient_mails where ctid = any (array(select ctid from recipient_mails where project_id = $1 limit ${SLICE}))`,
  `delete from idempotency_keys where ctid = any (array(select ctid from idempotency_keys where project_id = $1 limit ${SLICE}))`,
]

/** Nobody is left to be told. First no subscription takes anything more, so that none gets deliveries while it goes. */
export async function deleteProject(db: Queryable, projectId: string): Promise<void> {
  await db.query('update subscriptions set enabled = false, deleted_at = clock_timestamp() where project_id = $1', [
    projectId,
  ])
  for (const statement of ofProject) {
    while ((await db.query(statement, [projectId])).rowCount === SLICE);
    crashPoint('notification.deletion.statement')
  }
}
