import { recordAudit } from '@millrace/events'
import type { RouteRequest } from '@millrace/http'
import type { Queryable } from '@millrace/postgres'
import { SOURCE } from '../source.js'

export function audit(tx: Queryable, req: RouteRequest, action: string, target: string): Promise<void> {
  const { identity, ip, requestId } = req
  return recordAudit(tx, SOURCE, {
    projectId: identity.projectId,
    actor: identity.subject,
    action,
    target,
    ip,
    requestId,
  })
}
