import type { ProtoSchedule } from '../../clients/schedules.js'
import { fromCron } from './cadence.js'

const orNull = (text: string): string | null => (text === '' ? null : text)

export function scheduleView(schedule: ProtoSchedule): Record<string, unknown> {
  return {
    id: schedule.id,
    name: orNull(schedule.name),
    workflow: schedule.workflow,
    ...fromCron(schedule.cron),
    timezone: schedule.timezone,
    input: JSON.parse(schedule.inputJson),
    catchup: schedule.catchup,
    paused: schedule.paused,
    nextAt: orNull(schedule.nextAt),
    lastTickAt: orNull(schedule.lastTickAt),
    lastRunId: orNull(schedule.lastRunId),
    lastError: schedule.lastError,
    pendingTicks: schedule.pendingTicks,
    createdBy: schedule.createdBy,
    createdAt: schedule.createdAt,
    updatedAt: schedule.updatedAt,
  }
}
