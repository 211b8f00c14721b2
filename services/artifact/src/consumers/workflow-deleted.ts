import type { CloudEvent } from '@millrace/events'
import type { AppContext } from '../context.js'
import { limitRetention } from '../db/limit-retention.js'

/**
 * The rule: archiving a workflow hides it; its runs and their files stay readable and age like all others. Only where
 * the operator set a retention for archived workflows do the files made until then get an end.
 */
export function onWorkflowDeleted(ctx: AppContext) {
  return async (events: CloudEvent<'workflow.deleted'>[]): Promise<void> => {
    const days = ctx.limits.archivedRetentionDays
    if (days === undefined) return
    for (const { data, time } of events) {
      const archived = { projectId: data.projectId, workflow: data.workflow, archivedAt: new Date(time) }
      await limitRetention(ctx.pool, archived, days)
    }
  }
}
