import type { control as proto } from '@millrace/contracts'
import { recordAudit } from '@millrace/events'
import type { Queryable } from '@millrace/postgres'

/** With the change itself, so that none goes unrecorded. */
export function recordChange(
  client: Queryable,
  action: string,
  target: string,
  projectId: string,
  requester: proto.Requester__Output | null,
): Promise<void> {
  return recordAudit(client, 'scheduler', {
    projectId,
    actor: requester?.subject || 'service:workflow',
    action,
    target,
    ip: requester?.ip ?? '',
    requestId: requester?.requestId ?? '',
  })
}
