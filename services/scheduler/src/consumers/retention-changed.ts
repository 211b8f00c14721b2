import { parseRetentionJson } from '@millrace/definition'
import type { EventOf } from '@millrace/events'
import type { Pool } from '@millrace/postgres'
import { savePolicy } from '../db/retention/policies.js'

export function onRetentionChanged(pool: Pool): (events: EventOf<'retention.changed'>[]) => Promise<void> {
  return async (events) => {
    for (const { data, time } of events) {
      const { projectId, workflow, retentionJson } = data
      await savePolicy(pool, { projectId, workflow, at: time, ...parseRetentionJson(retentionJson) })
    }
  }
}
