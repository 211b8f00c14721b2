import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../../context.js'
import { backfillSchedule, previewBackfill } from './backfill-schedule.js'
import { createSchedule } from './create-schedule.js'
import { deleteSchedule } from './delete-schedule.js'
import { getSchedule, listNextTicks, listSchedules } from './read-schedules.js'
import { runSchedule } from './run-schedule.js'
import { updateSchedule } from './update-schedule.js'

export function scheduleHandlersOf(ctx: AppContext): Record<string, RouteHandler> {
  return {
    createSchedule: createSchedule(ctx),
    listSchedules: listSchedules(ctx),
    getSchedule: getSchedule(ctx),
    updateSchedule: updateSchedule(ctx),
    deleteSchedule: deleteSchedule(ctx),
    backfillSchedule: backfillSchedule(ctx),
    previewBackfill: previewBackfill(ctx),
    runSchedule: runSchedule(ctx),
    listNextTicks: listNextTicks(ctx),
  }
}
