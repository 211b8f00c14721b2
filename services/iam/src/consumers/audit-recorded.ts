import type { EventOf } from '@millrace/events'
import type { IamContext } from '../context.js'
import { insertAudit } from '../db/audit.js'

/** The audit log of all services. An event that comes twice finds its row and changes nothing. */
export function recordAuditEvents(ctx: IamContext): (events: EventOf<'audit.recorded'>[]) => Promise<void> {
  return async (events) => {
    await insertAudit(
      ctx.pool,
      events.map(({ id, time, source, data }) => ({
        id,
        at: time,
        source,
        projectId: data.projectId,
        actor: data.actor,
        action: data.action,
        target: data.target,
        ip: data.ip,
        requestId: data.requestId,
        outcome: data.outcome === '' ? 'success' : data.outcome,
      })),
    )
  }
}
