import type { Queryable } from '@millrace/postgres'
import { v7 } from 'uuid'

export type MailKind = 'reset' | 'verify' | 'invitation'

export interface MailJob {
  id: string
  kind: MailKind
  address: string
  invitationId: string | null
  attempts: number
}

export async function insertMailJob(
  db: Queryable,
  { kind, address, invitationId }: { kind: MailKind; address: string; invitationId?: string },
): Promise<void> {
  await db.query('insert into mail_jobs (id, kind, address, invitation_id) values ($1, $2, $3, $4)', [
    v7(),
    kind,
    address,
    invitationId ?? null,
  ])
}

/** Takes what is due for a while: if the process dies with it, another takes it then. */
export async function claimMailJobs(db: Queryable, limit: number, leaseMs: number): Promise<MailJob[]> {
  const { rows } = await db.query<MailJob>(
    `update mail_jobs set next_at = now() + make_interval(secs => $2 / 1000.0), attempts = attempts + 1
     where id in (select id from mail_jobs where next_at <= now() order by next_at limit $1 for update skip locked)
     returning id, kind, address, invitation_id as "invitationId", attempts`,
    [limit, leaseMs],
  )
  return rows
}

export async function deleteMailJob(db: Queryable, id: string): Promise<void> {
  await db.query('delete from mail_jobs where id = $1', [id])
}

export async function postponeMailJob(db: Queryable, id: string, delayMs: number): Promise<void> {
  await db.query('update mail_jobs set next_at = now() + make_interval(secs => $2 / 1000.0) where id = $1', [
    id,
    delayMs,
  ])
}
