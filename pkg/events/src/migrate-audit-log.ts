import { migrate, type Pool } from '@millrace/postgres'

/** Whose structure is the administrator's: iam reads and appends, and can do nothing else to it. */
export const AUDIT_SCHEMA = 'audit_log'

export function migrateAuditLog(pool: Pool): Promise<void> {
  return migrate(pool, { schema: AUDIT_SCHEMA, directory: new URL('../audit-migrations', import.meta.url) })
}
