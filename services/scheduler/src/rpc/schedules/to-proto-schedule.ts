import type { schedules as proto } from '@millrace/contracts'
import type { ScheduleRow } from '../../db/schedules.js'

const orEmpty = (time: Date | null): string => time?.toISOString() ?? ''

export function toProtoSchedule(row: ScheduleRow): proto.Schedule {
  return {
    id: row.id,
    projectId: row.project_id,
    name: row.name,
    workflow: row.workflow,
    cron: row.cron,
    timezone: row.timezone,
    inputJson: row.input,
    catchup: row.catchup,
    paused: row.paused,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    nextAt: row.paused ? '' : orEmpty(row.next_at),
    lastTickAt: orEmpty(row.last_tick_at),
    lastRunId: row.last_run_id ?? '',
    lastError: row.last_error,
    pendingTicks: row.pending_ticks,
  }
}
