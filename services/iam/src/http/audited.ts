import { recordAudit } from '@millrace/events'
import type { RouteRequest } from '@millrace/http'
import { type Queryable, type Tx, withTransaction } from '@millrace/postgres'
import type { IamContext } from '../context.js'

export interface AuditFacts {
  action: string
  target: string
  actor?: string
  projectId?: string
  outcome?: 'success' | 'denied' | 'failure'
}

/** Open routes have no identity: they name actor and project themselves. */
export function audit(tx: Queryable, req: RouteRequest, facts: AuditFacts): Promise<void> {
  return recordAudit(tx, 'iam', {
    actor: facts.actor ?? req.identity.subject,
    projectId: facts.projectId ?? req.identity.projectId,
    action: facts.action,
    target: facts.target,
    ip: req.ip,
    requestId: req.requestId,
    outcome: facts.outcome ?? 'success',
    ...(facts.actor === undefined ? { role: req.identity.role } : {}),
  })
}

/** A transaction whose events reach their readers at once. */
export async function mutate<T>(ctx: IamContext, work: (tx: Tx) => Promise<T>): Promise<T> {
  const result = await withTransaction(ctx.pool, work)
  ctx.bus.hint()
  return result
}
