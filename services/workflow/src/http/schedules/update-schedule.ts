import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../../context.js'
import { type Timing, toCron } from './cadence.js'
import { checkStart, nameOf, requesterOf } from './schedule-request.js'
import { scheduleView } from './schedule-view.js'

interface ScheduleChange extends Timing {
  name?: string
  workflow?: string
  timezone?: string
  input?: unknown
  catchup?: string
  paused?: boolean
}

export function updateSchedule(ctx: AppContext): RouteHandler {
  return async (req) => {
    const name = nameOf(req)
    const { input, cron: _cron, every: _every, ...change } = req.body as ScheduleChange
    const cron = toCron(req.body as ScheduleChange)
    const inputJson = await checkedInput(ctx, name, change.workflow, input)
    const schedule = await ctx.schedules.update({
      ...name,
      ...change,
      ...(cron === undefined ? {} : { cron }),
      ...(inputJson === undefined ? {} : { inputJson }),
      requester: requesterOf(req),
    })
    return { status: 200, body: scheduleView(schedule) }
  }
}

/** Workflow and input must fit together, whichever of them changes; undefined when the input stays. */
async function checkedInput(
  ctx: AppContext,
  { id, projectId }: { id: string; projectId: string },
  workflow: string | undefined,
  input: unknown,
): Promise<string | undefined> {
  if (workflow === undefined && input === undefined) return undefined
  const before = await ctx.schedules.get(projectId, id)
  const wanted = input === undefined ? JSON.parse(before.inputJson) : (input ?? {})
  const inputJson = await checkStart(ctx, projectId, workflow ?? before.workflow, wanted)
  return input === undefined ? undefined : inputJson
}
