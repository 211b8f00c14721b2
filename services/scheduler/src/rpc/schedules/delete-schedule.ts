import type { schedules as proto } from '@millrace/contracts'
import type { UnaryHandler } from '@millrace/grpc'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../../context.js'
import { deleteSchedule as remove } from '../../db/schedules.js'
import { recordChange, requireSchedule, scheduleNameOf } from './schedule-request.js'

type Delete = UnaryHandler<proto.DeleteScheduleRequest__Output, proto.DeleteScheduleResponse>

/** Its runs stay. */
export function deleteSchedule(ctx: AppContext): Delete {
  return async (request, call) => {
    const name = scheduleNameOf(request, call)
    await withTransaction(ctx.pool, async (tx) => {
      await requireSchedule(tx, name, true)
      await remove(tx, name.id, name.projectId)
      await recordChange(tx, 'deleted', name, request.requester)
    })
    ctx.bus.hint()
    return {}
  }
}
