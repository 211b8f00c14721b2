import type { Queryable } from '@millrace/postgres'

export interface AuditRow {
  id: string
  at: Date
  actor: string
  action: string
  target: string
  ip: string
  requestId: string
  outcome: string
}

export interface NewAuditRow {
  id: string
  at: string
  projectId: string
  actor: string
  action: string
  target: string
  ip: string
  requestId: string
  outcome: string
  source: string
}

/** No text of Postgres can hold it, and a target may come from a user. */
const clean = (text: string): string => text.replaceAll('\0', '')

export async function insertAudit(db: Queryable, rows: readonly NewAuditRow[]): Promise<void> {
  const column = (name: keyof NewAuditRow) => rows.map((row) => clean(row[name]))
  await db.query({
    name: 'iam-insert-audit',
    text: `insert into audit (id, at, project_id, actor, action, target, ip, request_id, outcome, source)
      select * from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::text[], $10::text[])
      on conflict (id) do nothing`,
    values: [
      column('id'),
      column('at'),
      column('projectId'),
      column('actor'),
      column('action'),
      column('target'),
      column('ip'),
      column('requestId'),
      column('outcome'),
      column('source'),
    ],
  })
}

export interface AuditFilter {
  actor: string | undefined
  action: string | undefined
  target: string | undefined
  from: string | undefined
  to: string | undefined
  before: { at: string; id: string } | undefined
  limit: number
}

export async function listAudit(db: Queryable, projectId: string, filter: AuditFilter): Promise<AuditRow[]> {
  const { rows } = await db.query<AuditRow>(
    `select id, at, actor, action, target, ip, request_id as "requestId", outcome from audit
     where project_id = $1
       and ($2::text is null or actor = $2) and ($3::text is null or action = $3) and ($4::text is null or target = $4)
       and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)
       and ($7::timestamptz is null or (at, id) < ($7, $8::uuid))
     order by at desc, id desc limit $9`,
    [
      projectId,
      filter.actor ?? null,
      filter.action ?? null,
      filter.target ?? null,
      filter.from ?? null,
      filter.to ?? null,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit,
    ],
  )
  return rows
}
