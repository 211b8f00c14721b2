import { parseRetentionJson } from '@millrace/definition/retention'
import type { EventOf } from '@millrace/events'
import type { AppContext } from '../context.js'
import { saveProjectRetention } from '../db/project-retention.js'

/** What workflows say is about their runs, and files of runs go with them. */
export function onRetentionChanged(ctx: AppContext, sweep: () => void) {
  return async (events: EventOf<'retention.changed'>[]): Promise<void> => {
    for (const { data, time } of events) {
      const { projectId, workflow, retentionJson } = data
      if (workflow !== '') continue
      const { keepMs } = parseRetentionJson(retentionJson)
      await saveProjectRetention(ctx.pool, { projectId, keepMs, at: time })
    }
    sweep()
  }
}
