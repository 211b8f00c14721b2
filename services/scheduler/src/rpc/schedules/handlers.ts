import type { scheduleServiceDefinition } from '@millrace/contracts'
import type { HandlersOf } from '@millrace/grpc'
import type { AppContext } from '../../context.js'
import { backfillSchedule, previewBackfill } from './backfill-schedule.js'
import { countSchedules } from './count-schedules.js'
import { createSchedule } from './create-schedule.js'
import { deleteSchedule } from './delete-schedule.js'
import { getSchedule, listSchedules, nextTicks } from './read-schedules.js'
import { updateSchedule } from './update-schedule.js'

export function scheduleHandlers(ctx: AppContext): HandlersOf<typeof scheduleServiceDefinition> {
  return {
    createSchedule: createSchedule(ctx),
    getSchedule: getSchedule(ctx),
    listSchedules: listSchedules(ctx),
    updateSchedule: updateSchedule(ctx),
    deleteSchedule: deleteSchedule(ctx),
    backfillSchedule: backfillSchedule(ctx),
    previewBackfill: previewBackfill(ctx),
    nextTicks: nextTicks(ctx),
    countSchedules: countSchedules(ctx),
  }
}
