import type { RouteHandler } from '@millrace/http'
import type { AppContext } from '../../context.js'
import { parseTime } from '../parse-time.js'
import { nameOf, requesterOf } from './schedule-request.js'

export function backfillSchedule(ctx: AppContext): RouteHandler {
  return async (req) => {
    const body = req.body as { from: string; to: string }
    const from = parseTime('/from', body.from) ?? ''
    const to = parseTime('/to', body.to) ?? ''
    const ticks = await ctx.schedules.backfill({ ...nameOf(req), from, to, requester: requesterOf(req) })
    return { status: 202, body: { ticks } }
  }
}

export function previewBackfill(ctx: AppContext): RouteHandler {
  return async (req) => {
    const query = req.query as { from: string; to: string }
    const range = { from: parseTime('/from', query.from) ?? '', to: parseTime('/to', query.to) ?? '' }
    const { ticks, first, last } = await ctx.schedules.preview({ ...nameOf(req), ...range })
    return { status: 200, body: { count: ticks, first: first === '' ? null : first, last: last === '' ? null : last } }
  }
}
