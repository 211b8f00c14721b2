import { recordAudit } from '@millrace/events'
import type { RouteRequest } from '@millrace/http'
import type { Queryable } from '@millrace/postgres'
import { SOURCE } from '../source.js'

export async function audit(
  tx: Queryable,
  req: RouteRequest,
  action: string,
  artifact: { id: string; projectId: string },
): Promise<void> {
  await recordAudit(tx, SOURCE, {
    projectId: artifact.projectId,
    actor: req.identity.subject,
    action,
    target: `artifact:${artifact.id}`,
    ip: req.ip,
    requestId: req.requestId,
  })
}
