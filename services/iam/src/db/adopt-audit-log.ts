import { AUDIT_SCHEMA } from '@millrace/events'
import { type Pool, type Tx, withTransaction } from '@millrace/postgres'

const columns = 'id, at, project_id, actor, role, action, target, ip, request_id, outcome, source, seq, hash'

/**
 * Where the administrator has made an audit log that iam can only append to, what iam wrote into a table of its own goes
 * there, once, and that table with the right to change it goes away. True when it did.
 */
export async function adoptAuditLog(pool: Pool): Promise<boolean> {
  if (!(await hasBoth(pool))) return false
  return withTransaction(pool, async (tx) => {
    // A long log takes longer than a transaction usually may.
    await tx.query('set local transaction_timeout = 0; set local statement_timeout = 0')
    await tx.query('lock table iam.audit in access exclusive mode')
    if (!(await hasBoth(tx))) return false
    await tx.query(`insert into ${AUDIT_SCHEMA}.audit (${columns}) select ${columns} from iam.audit`)
    await tx.query('drop table iam.audit')
    return true
  }).catch((error: unknown) => {
    // Another replica was first.
    if ((error as { code?: string }).code === '42P01') return false
    throw error
  })
}

async function hasBoth(db: Pool | Tx): Promise<boolean> {
  const { rows } = await db.query<{ both: boolean }>(
    `select to_regclass('iam.audit') is not null and exists (
       select from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = '${AUDIT_SCHEMA}' and c.relname = 'audit' and has_schema_privilege(n.oid, 'usage')
         and has_table_privilege(c.oid, 'insert')) as both`,
  )
  return rows[0]?.both ?? false
}
