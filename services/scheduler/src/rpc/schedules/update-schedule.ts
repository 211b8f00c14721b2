import type { schedules as proto } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../../context.js'
import { dropClockTicks } from '../../db/plan-ticks.js'
import { databaseTime, type ScheduleRow, type ScheduleSettings, updateSchedule as write } from '../../db/schedules.js'
import { parseCadence } from '../../domain/schedule.js'
import { recordChange, requireCatchup, requireSchedule, scheduleNameOf } from './schedule-request.js'
import { toProtoSchedule } from './to-proto-schedule.js'

type Update = UnaryHandler<proto.UpdateScheduleRequest__Output, proto.UpdateScheduleResponse>

export function updateSchedule(ctx: AppContext): Update {
  return async (request, call) => {
    const name = scheduleNameOf(request, call)
    const row = await withTransaction(ctx.pool, async (tx) => {
      const before = await requireSchedule(tx, name, true)
      const settings = changed(before, request)
      const at = await databaseTime(tx)
      await write(tx, name.id, { ...settings, at, nextAt: nextOf(before, settings, at) })
      if (settings.paused && !before.paused) await dropClockTicks(tx, name.id)
      await recordChange(tx, actionOf(before, settings), name, request.requester)
      return requireSchedule(tx, name)
    })
    ctx.bus.hint()
    ctx.schedules.poke()
    return { schedule: toProtoSchedule(row) }
  }
}

function changed(before: ScheduleRow, request: proto.UpdateScheduleRequest__Output): ScheduleSettings {
  return {
    name: request._name === undefined ? before.name : (request.name ?? ''),
    workflow: request._workflow === undefined ? before.workflow : (request.workflow ?? ''),
    cron: request._cron === undefined ? before.cron : (request.cron ?? ''),
    timezone: request._timezone === undefined ? before.timezone : (request.timezone ?? ''),
    input: request._inputJson === undefined ? before.input : (request.inputJson ?? ''),
    catchup: request._catchup === undefined ? before.catchup : requireCatchup(request.catchup ?? ''),
    paused: request._paused === undefined ? before.paused : (request.paused ?? false),
  }
}

/**
 * A pause is meant, so nothing that it kept away is made up for, whatever the catch-up; nor is what another time table
 * would have brought. Otherwise a tick that is due and not planned yet stays due.
 */
function nextOf(before: ScheduleRow, settings: ScheduleSettings, now: Date): Date | null {
  const retimed = settings.cron !== before.cron || settings.timezone !== before.timezone
  const resumed = before.paused && !settings.paused
  const next = parseCadence(settings.cron, settings.timezone).next(now) ?? null
  return retimed || resumed ? next : before.next_at
}

function actionOf(before: ScheduleRow, settings: ScheduleSettings): 'updated' | 'paused' | 'resumed' {
  if (before.paused === settings.paused) return 'updated'
  return settings.paused ? 'paused' : 'resumed'
}
