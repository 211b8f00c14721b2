import type { Queryable, Tx } from '@millrace/postgres'
import { type AuditChain, link } from '../security/audit-chain.js'
import { listChainKeys } from './audit-chain-keys.js'

export interface AuditRow {
  id: string
  at: Date
  projectId: string
  actor: string
  role: string
  action: string
  target: string
  ip: string
  requestId: string
  outcome: string
}

export interface NewAuditRow {
  id: string
  /** RFC 3339 with three fractional digits, as it is read back. */
  at: string
  projectId: string
  actor: string
  role: string
  action: string
  target: string
  ip: string
  requestId: string
  outcome: string
  source: string
}

/** No text of Postgres can hold it, and a target may come from a user. */
const clean = (text: string): string => text.replaceAll('\0', '')

const cleaned = (row: NewAuditRow): NewAuditRow => ({
  ...(Object.fromEntries(Object.entries(row).map(([name, text]) => [name, clean(text)])) as unknown as NewAuditRow),
  at: new Date(row.at).toISOString(),
})

interface Head {
  seq: number
  hash: Buffer
}

/** Locked to the end of the transaction: entries are chained one batch after another, whoever brings them. */
export async function lockHead(tx: Tx): Promise<Head> {
  const { rows } = await tx.query<{ seq: string; hash: Buffer }>('select seq, hash from audit_head for update')
  const [head] = rows
  if (!head) throw new Error('the audit log has no head')
  return { seq: Number(head.seq), hash: head.hash }
}

async function unknownOf(tx: Tx, rows: readonly NewAuditRow[]): Promise<NewAuditRow[]> {
  const known = await tx.query<{ id: string }>('select id from audit where id = any($1::uuid[])', [
    rows.map(({ id }) => id),
  ])
  const seen = new Set(known.rows.map(({ id }) => id))
  // An event may also stand twice in one batch.
  return rows.filter(({ id }) => !seen.has(id) && seen.add(id))
}

/** Appends what is not there yet. */
export async function insertAudit(tx: Tx, chain: AuditChain, given: readonly NewAuditRow[]): Promise<void> {
  let head = await lockHead(tx)
  const rows = await unknownOf(tx, given.map(cleaned))
  if (rows.length === 0) return
  const keys = chain.open(await listChainKeys(tx))
  const heads = rows.map((row) => {
    const seq = head.seq + 1
    head = { seq, hash: link(keys, head.hash, seq, row) }
    return head
  })
  const column = (name: keyof NewAuditRow) => rows.map((row) => row[name])
  await tx.query({
    name: 'iam-append-audit',
    text: `insert into audit (id, at, project_id, actor, role, action, target, ip, request_id, outcome, source, seq, hash)
      select * from unnest($1::uuid[], $2::timestamptz[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[],
        $8::text[], $9::text[], $10::text[], $11::text[], $12::bigint[], $13::bytea[])`,
    values: [
      column('id'),
      column('at'),
      column('projectId'),
      column('actor'),
      column('role'),
      column('action'),
      column('target'),
      column('ip'),
      column('requestId'),
      column('outcome'),
      column('source'),
      heads.map(({ seq }) => seq),
      heads.map(({ hash }) => hash),
    ],
  })
  await tx.query('update audit_head set seq = $1, hash = $2', [head.seq, head.hash])
}

export interface AuditFilter {
  /** Of actor and target also the bare id does, without its kind. */
  actor: string | undefined
  action: readonly string[] | undefined
  target: string | undefined
  outcome: readonly string[] | undefined
  from: string | undefined
  to: string | undefined
  before: { at: string; id: string } | undefined
  limit: number
}

/** Of one project, or of all when none is given. */
export async function listAudit(
  db: Queryable,
  projectId: string | undefined,
  filter: AuditFilter,
): Promise<AuditRow[]> {
  const { rows } = await db.query<AuditRow>(
    `select id, at, project_id as "projectId", actor, role, action, target, ip, request_id as "requestId", outcome
     from audit
     where ($1::text is null or project_id = $1)
       and ($2::text is null or actor = $2 or split_part(actor, ':', 2) = $2)
       and ($3::text[] is null or action = any($3))
       and ($4::text is null or target = $4 or substr(target, strpos(target, ':') + 1) = $4)
       and ($5::timestamptz is null or at >= $5) and ($6::timestamptz is null or at < $6)
       and ($7::timestamptz is null or (at, id) < ($7, $8::uuid)) and ($10::text[] is null or outcome = any($10))
     order by at desc, id desc limit $9`,
    [
      projectId ?? null,
      filter.actor ?? null,
      filter.action ?? null,
      filter.target ?? null,
      filter.from ?? null,
      filter.to ?? null,
      filter.before?.at ?? null,
      filter.before?.id ?? null,
      filter.limit,
      filter.outcome ?? null,
    ],
  )
  return rows
}

export interface ChainedRow extends NewAuditRow {
  seq: number
  hash: Buffer
}

/** In the order of the chain. */
export async function listChain(db: Queryable, afterSeq: number, limit: number): Promise<ChainedRow[]> {
  const { rows } = await db.query<Omit<ChainedRow, 'at' | 'seq'> & { at: Date; seq: string }>(
    `select id, at, project_id as "projectId", actor, role, action, target, ip, request_id as "requestId", outcome,
            source, seq, hash
     from audit where seq > $1 order by seq limit $2`,
    [afterSeq, limit],
  )
  return rows.map((row) => ({ ...row, at: row.at.toISOString(), seq: Number(row.seq) }))
}

export async function readHead(db: Queryable): Promise<Head> {
  const { rows } = await db.query<{ seq: string; hash: Buffer }>('select seq, hash from audit_head')
  return { seq: Number(rows[0]?.seq ?? 0), hash: rows[0]?.hash ?? Buffer.alloc(0) }
}
