import type { schedules as proto } from '@millrace/contracts'
import { quotaExceeded } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import { type Tx, withTransaction } from '@millrace/postgres'
import type { AppContext } from '../../context.js'
import {
  countSchedulesLocked,
  databaseTime,
  findSchedule,
  insertSchedule,
  type ScheduleSettings,
} from '../../db/schedules.js'
import { parseCadence } from '../../domain/schedule.js'
import { recordChange, requireCatchup, requireSchedule, scheduleNameOf } from './schedule-request.js'
import { toProtoSchedule } from './to-proto-schedule.js'

type Create = UnaryHandler<proto.CreateScheduleRequest__Output, proto.CreateScheduleResponse>

export function createSchedule(ctx: AppContext): Create {
  return async (request, call) => {
    const name = scheduleNameOf(request, call)
    const settings = settingsOf(request)
    const { schedules: limit } = await ctx.quotas(name.projectId)
    const row = await withTransaction(ctx.pool, async (tx) => {
      const known = await findSchedule(tx, name.id, name.projectId)
      if (known) return known
      await insert(tx, name, settings, request.requester, limit)
      return requireSchedule(tx, name)
    })
    ctx.bus.hint()
    ctx.schedules.poke()
    return { schedule: toProtoSchedule(row) }
  }
}

const settingsOf = ({
  name,
  workflow,
  cron,
  timezone,
  inputJson,
  catchup,
  paused,
}: proto.CreateScheduleRequest__Output) => ({
  name,
  workflow,
  cron,
  timezone,
  input: inputJson,
  catchup: requireCatchup(catchup),
  paused,
})

async function insert(
  tx: Tx,
  name: { id: string; projectId: string },
  settings: ScheduleSettings,
  requester: proto.Requester__Output | null,
  limit: number | null,
): Promise<void> {
  const cadence = parseCadence(settings.cron, settings.timezone)
  if (limit !== null && (await countSchedulesLocked(tx, name.projectId)) >= limit) {
    throw quotaExceeded('schedules', `The project has at most ${limit} schedules.`)
  }
  const createdAt = await databaseTime(tx)
  const nextAt = cadence.next(createdAt) ?? null
  const createdBy = requester?.subject || 'service:workflow'
  // Taken meanwhile by the same request, repeated: what follows finds that one.
  if (await insertSchedule(tx, { ...name, ...settings, createdBy, createdAt, nextAt })) {
    await recordChange(tx, 'created', name, requester)
  }
}
