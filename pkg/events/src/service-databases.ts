import { createPool, type Pool, prepareServiceRoles } from '@millrace/postgres'
import { AUDIT_SCHEMA, migrateAuditLog } from './migrate-audit-log.js'
import { EVENTS_SCHEMA, migrateEvents } from './migrate-events.js'

/** Who keeps the audit log. */
const auditor = 'iam'

/**
 * A role for each name, which owns the schema of that name and reaches no other; the event log is theirs to use and not
 * to change. `events` owns nothing: it is for a bus that services of one process share. Answers the URLs by name.
 * Roles belong to the whole server, so the database's name stands before theirs.
 */
export async function prepareServiceDatabases<Name extends string>(
  adminUrl: string,
  passwords: Readonly<Record<Name, string>>,
): Promise<Record<Name, string>> {
  await asOwner(adminUrl, EVENTS_SCHEMA.schema, migrateEvents)
  await asOwner(adminUrl, AUDIT_SCHEMA, migrateAuditLog)
  await asOwner(adminUrl, 'public', addExtensions)
  const database = decodeURIComponent(new URL(adminUrl).pathname.slice(1)).slice(0, 48)
  const given = Object.entries<string>(passwords)
  const roles = given.map(([name, password]) => ({
    ...{ name: `${database}_${name}`, password },
    ...(name === EVENTS_SCHEMA.schema ? {} : { schema: name }),
  }))
  const appendOnly = { schema: AUDIT_SCHEMA, table: 'audit', role: `${database}_${auditor}` }
  await prepareServiceRoles({ adminUrl, roles, shared: EVENTS_SCHEMA, ...(auditor in passwords ? { appendOnly } : {}) })
  const urls = given.map(([name, password]) => [name, urlAs(adminUrl, `${database}_${name}`, password)])
  return Object.fromEntries(urls) as Record<Name, string>
}

/**
 * What a service may not create itself: the trigrams that text is searched by. A server that has none, or an account that
 * may not, does without: searches then read the history.
 */
async function addExtensions(pool: Pool): Promise<void> {
  await pool.query('create extension if not exists pg_trgm schema public').catch((error: unknown) => {
    if (!withoutExtensions.has((error as { code?: string }).code ?? '')) throw error
  })
}

/** No such file, no such schema, no right to it, made by another at this moment. */
const withoutExtensions: ReadonlySet<string> = new Set(['0A000', '58P01', '3F000', '42501', '23505'])

function urlAs(adminUrl: string, role: string, password: string): string {
  const url = new URL(adminUrl)
  url.username = encodeURIComponent(role)
  url.password = encodeURIComponent(password)
  return url.href
}

/** By its owner, before the roles are given their rights to it. */
async function asOwner(adminUrl: string, schema: string, work: (pool: Pool) => Promise<void>): Promise<void> {
  const pool = createPool({ connectionString: adminUrl, schema, max: 1 })
  try {
    await work(pool)
  } finally {
    await pool.end()
  }
}
