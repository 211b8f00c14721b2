import type { schedules as proto } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import type { AppContext } from '../../context.js'
import { databaseTime, listSchedules as selectSchedules } from '../../db/schedules.js'
import { parseCadence } from '../../domain/schedule.js'
import { readerProject } from '../caller.js'
import { requireSchedule, scheduleNameOf } from './schedule-request.js'
import { toProtoSchedule } from './to-proto-schedule.js'

type Get = UnaryHandler<proto.GetScheduleRequest__Output, proto.GetScheduleResponse>
type List = UnaryHandler<proto.ListSchedulesRequest__Output, proto.ListSchedulesResponse>
type Next = UnaryHandler<proto.NextTicksRequest__Output, proto.NextTicksResponse>

export const getSchedule =
  (ctx: AppContext): Get =>
  async (request, call) => ({
    schedule: toProtoSchedule(await requireSchedule(ctx.pool, scheduleNameOf(request, call))),
  })

export const listSchedules =
  (ctx: AppContext): List =>
  async (request, call) => {
    const { beforeCreatedAt: createdAt, beforeId: id } = request
    const rows = await selectSchedules(ctx.pool, {
      projectId: readerProject(call, request.projectId),
      workflow: request.workflow,
      before: createdAt === '' ? null : { createdAt, id },
      limit: Math.min(Math.max(request.limit, 1), 201),
    })
    return { schedules: rows.map(toProtoSchedule) }
  }

const maxTicks = 100

/** Also of a schedule that is paused: when it would come due. */
export const nextTicks =
  (ctx: AppContext): Next =>
  async (request, call) => {
    const row = await requireSchedule(ctx.pool, scheduleNameOf(request, call))
    const cadence = parseCadence(row.cron, row.timezone)
    const count = Math.min(Math.max(request.count, 1), maxTicks)
    const ticks: string[] = []
    let tick = cadence.next(await databaseTime(ctx.pool))
    while (tick && ticks.length < count) {
      ticks.push(tick.toISOString())
      tick = cadence.next(tick)
    }
    return { ticks }
  }
