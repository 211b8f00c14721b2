import { setImmediate as yieldToOthers } from 'node:timers/promises'
import type { schedules as proto } from '@millrace/contracts'
import { rateLimited, unprocessable } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../../context.js'
import { insertBackfill } from '../../db/plan-ticks.js'
import { databaseTime, type ScheduleRow } from '../../db/schedules.js'
import { parseCadence, ticksBetween } from '../../domain/schedule.js'
import { recordChange, requireSchedule, requireTime, scheduleNameOf } from './schedule-request.js'

const maxTicks = 1000
const maxPending = 5000
const sliceMs = 5

type Backfill = UnaryHandler<proto.BackfillScheduleRequest__Output, proto.BackfillScheduleResponse>

/** Asked twice it makes nothing twice: a tick has one row while it waits, and one run for ever. */
export function backfillSchedule(ctx: AppContext): Backfill {
  return async (request, call) => {
    const name = scheduleNameOf(request, call)
    const schedule = await requireSchedule(ctx.pool, name)
    const ticks = await ticksOf(ctx, schedule, requireTime('/from', request.from), requireTime('/to', request.to))
    await withTransaction(ctx.pool, async (tx) => {
      const { pending_ticks: pending } = await requireSchedule(tx, name, true)
      if (pending + ticks.length > maxPending) {
        throw rateLimited('backfill_in_progress', `${pending} ticks of this schedule still wait for their runs.`, 30)
      }
      await insertBackfill(tx, name.id, ticks)
      await recordChange(tx, 'backfilled', name, request.requester)
    })
    ctx.bus.hint()
    ctx.schedules.poke()
    return { ticks: ticks.length }
  }
}

type Preview = UnaryHandler<proto.PreviewBackfillRequest__Output, proto.PreviewBackfillResponse>

export function previewBackfill(ctx: AppContext): Preview {
  return async (request, call) => {
    const schedule = await requireSchedule(ctx.pool, scheduleNameOf(request, call))
    const [from, to] = [requireTime('/from', request.from), requireTime('/to', request.to)]
    const ticks = await ticksOf(ctx, schedule, from, to)
    return { ticks: ticks.length, first: ticks[0]?.toISOString() ?? '', last: ticks.at(-1)?.toISOString() ?? '' }
  }
}

/** Of the past alone: a run made now for a tick to come would keep that tick from having its own. */
async function ticksOf(ctx: AppContext, schedule: ScheduleRow, from: Date, to: Date): Promise<Date[]> {
  if (from.getTime() < 0) throw refusal('invalid_request', 'from must not be before 1970', '/from')
  if (from >= to) throw refusal('invalid_request', 'from must be before to')
  const now = await databaseTime(ctx.pool)
  const cadence = parseCadence(schedule.cron, schedule.timezone)
  const ticks: Date[] = []
  let sliceEnd = performance.now() + sliceMs
  for (const tick of ticksBetween(cadence, from, to < now ? to : now)) {
    if (ticks.length === maxTicks) throw refusal('backfill_too_large', `the range has more than ${maxTicks} ticks`)
    ticks.push(tick)
    if (performance.now() > sliceEnd) {
      await yieldToOthers()
      sliceEnd = performance.now() + sliceMs
    }
  }
  return ticks
}

const refusal = (reason: string, message: string, path = '/to') =>
  unprocessable(reason, `The backfill is not possible: ${message}.`, [{ path, code: reason, message }])
