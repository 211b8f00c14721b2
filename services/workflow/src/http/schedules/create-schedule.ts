import type { JsonReply, RouteHandler, RouteRequest } from '@millrace/http'
import { v5, v7 } from 'uuid'
import type { AppContext } from '../../context.js'
import { requireCron, type Timing } from './cadence.js'
import { checkStart, requesterOf } from './schedule-request.js'
import { scheduleView } from './schedule-view.js'

interface ScheduleBody extends Timing {
  name?: string
  workflow: string
  timezone?: string
  input?: unknown
  catchup?: string
  paused?: boolean
}

export function createSchedule(ctx: AppContext): RouteHandler {
  return async (req): Promise<JsonReply> => {
    const body = req.body as ScheduleBody
    const { name = '', workflow, timezone = 'UTC', input, catchup = 'none', paused = false } = body
    const cron = requireCron(body)
    const { projectId } = req.identity
    const inputJson = await checkStart(ctx, projectId, workflow, input ?? {})
    const settings = { name, workflow, cron, timezone, inputJson, catchup, paused }
    const made = await ctx.schedules.create({ id: newId(req), projectId, ...settings, requester: requesterOf(req) })
    return { status: 201, body: scheduleView(made) }
  }
}

const namespace = '6f0c2d5e-3a4b-4a53-9f0e-0b7f6a6b1c9d'

/**
 * The schedule is made in another service before the answer is kept here. With an Idempotency-Key its id follows from
 * the request, so that one repeated after a crash in between finds what the first made.
 */
function newId({ idempotencyKey, identity: { projectId, subject }, body }: RouteRequest): string {
  if (idempotencyKey === undefined) return v7()
  return v5(JSON.stringify([projectId, subject, idempotencyKey, body]), namespace)
}
