import type { Queryable } from '@millrace/postgres'
import { appendEvents } from './append-events.js'

export interface AuditEntry {
  /** Empty for what belongs to no project, such as a login. */
  projectId: string
  actor: string
  /** Such as `api_key.created`. */
  action: string
  target: string
  ip: string
  requestId: string
  outcome?: 'success' | 'denied' | 'failure'
  /** In which the actor acted. */
  role?: string
}

export async function recordAudit(tx: Queryable, source: string, entry: AuditEntry): Promise<void> {
  const key = entry.projectId === '' ? entry.actor : entry.projectId
  const data = { ...entry, outcome: entry.outcome ?? 'success' }
  await appendEvents(tx, source, [{ topic: 'audit.recorded', key, subject: entry.target, data }])
}
