import type { EventOf } from '@millrace/events'
import { withTransaction } from '@millrace/postgres'
import type { IamContext } from '../context.js'
import { insertAudit } from '../db/audit.js'

/** Events from before the words were settled say `failed`. */
function outcomeOf(outcome: string): string {
  if (outcome === '') return 'success'
  return outcome === 'failed' ? 'failure' : outcome
}

/** The audit log of all services. An event that comes twice finds its row and changes nothing. */
export function recordAuditEvents(ctx: IamContext): (events: EventOf<'audit.recorded'>[]) => Promise<void> {
  return async (events) => {
    const rows = events.map(({ id, time, source, data }) => ({
      id,
      at: time,
      source,
      projectId: data.projectId,
      actor: data.actor,
      action: data.action,
      target: data.target,
      ip: data.ip,
      requestId: data.requestId,
      role: data.role ?? '',
      outcome: outcomeOf(data.outcome),
    }))
    await withTransaction(ctx.pool, (tx) => insertAudit(tx, ctx.auditChain, rows))
  }
}
