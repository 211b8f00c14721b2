import type { Queryable } from '@millrace/postgres'
import type { ChildEndedCommand } from '../domain/commands.js'

/** What may stand in a run's inbox. */
export type InboxCommand =
  | { kind: 'cancel'; reason: string }
  | { kind: 'admit' }
  | { kind: 'pause' }
  | { kind: 'resume' }
  | Omit<ChildEndedCommand, 'inboxId'>
  | { kind: 'map-ended'; taskId: string; round: number }
  | { kind: 'signal'; signalId: string; name: string; payload: string }

export interface InboxRow {
  id: number
  run_id: string
  command: InboxCommand
}

/** Keeps a command for a run, once; it is deleted by the run that it reaches. */
export async function putInInbox(
  client: Queryable,
  runId: string,
  command: InboxCommand,
  dedupeKey: string,
): Promise<void> {
  await client.query({
    name: 'put-in-inbox',
    text: `insert into run_inbox (run_id, command, dedupe_key) values ($1, $2, $3) on conflict (dedupe_key) do nothing`,
    values: [runId, JSON.stringify(command), dedupeKey],
  })
}

/** What waits for runs that are here. */
export async function findInbox(client: Queryable, limit: number): Promise<InboxRow[]> {
  const result = await client.query<InboxRow>({
    name: 'find-inbox',
    text: `select i.id, i.run_id, i.command from run_inbox i join runs r on r.id = i.run_id order by i.id limit $1`,
    values: [limit],
  })
  return result.rows
}

/** What was kept for runs that never came: a cancelled task's child that nobody had asked for yet. */
export async function forgetInbox(client: Queryable, olderThanDays: number): Promise<void> {
  await client.query({
    name: 'forget-inbox',
    text: `delete from run_inbox i where i.created_at < clock_timestamp() - make_interval(days => $1)
      and not exists (select 1 from runs r where r.id = i.run_id)`,
    values: [olderThanDays],
  })
}

export async function findInboxOf(client: Queryable, runIds: readonly string[]): Promise<InboxRow[]> {
  const result = await client.query<InboxRow>({
    name: 'find-inbox-of',
    text: 'select id, run_id, command from run_inbox where run_id = any($1::uuid[]) order by id',
    values: [runIds],
  })
  return result.rows
}
