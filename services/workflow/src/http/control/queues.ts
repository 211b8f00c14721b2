import { parseDuration } from '@millrace/definition'
import { type FieldError, notFound, unprocessable } from '@millrace/errors'
import { decodeCursor, encodeCursor, type RouteHandler, type RouteRequest } from '@millrace/http'
import type { AppContext } from '../../context.js'
import { requesterOf } from '../schedules/schedule-request.js'
import { queueView } from './views.js'

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** A queue is made by being named; what cannot be a name is none. */
function nameOf(req: RouteRequest): { name: string; projectId: string; withShared: boolean } {
  const name = req.params.name ?? ''
  if (!namePattern.test(name)) throw notFound('queue_not_found', 'There is no such queue.')
  const { projectId, admin: withShared } = req.identity
  return { name, projectId, withShared }
}

export function listQueues(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { limit, cursor, order } = req.query as { limit: number; cursor?: string; order?: 'name' | 'depth' }
    const deepestFirst = order === 'depth'
    const after = cursor === undefined ? undefined : positionOf(cursor, deepestFirst)
    const { projectId, admin: withShared } = req.identity
    const { queues, waiting } = await ctx.control.listQueues({
      ...{ projectId, withShared, deepestFirst, limit: limit + 1 },
      afterName: after?.name ?? '',
      afterDepth: after?.depth ?? 0,
    })
    const shown = queues.slice(0, limit)
    const last = queues.length > limit ? shown.at(-1) : undefined
    const position = last && { name: last.name, ...(deepestFirst ? { depth: last.depth } : {}) }
    const nextCursor = position ? encodeCursor(position) : null
    return { status: 200, body: { items: shown.map(queueView), nextCursor, waiting } }
  }
}

/** A cursor is of the order that gave it out. */
const positionOf = (cursor: string, deepestFirst: boolean): { name: string; depth?: number } =>
  deepestFirst ? decodeCursor(cursor, { name: 'string', depth: 'integer' }) : decodeCursor(cursor, { name: 'string' })

export function pauseQueue(ctx: AppContext, paused: boolean): RouteHandler {
  return async (req) => {
    const queue = await ctx.control.updateQueue({ ...nameOf(req), paused, requester: requesterOf(req) })
    return { status: 200, body: queueView(queue) }
  }
}

interface QueueChange {
  concurrency?: number | null
  rateLimit?: { limit: number; per: string } | null
  weight?: number | null
  profile?: string | null
  defaults?: { retry?: { delay?: string; maxDelay?: string }; timeout?: string } | null
}

export function updateQueue(ctx: AppContext): RouteHandler {
  return async (req) => {
    const name = nameOf(req)
    const change = req.body as QueueChange
    checkDurations(change)
    const { concurrency, rateLimit, weight, profile, defaults } = change
    const clear = Object.entries({ concurrency, rate_limit: rateLimit, weight, profile, defaults })
      .filter(([, value]) => value === null)
      .map(([field]) => field)
    const queue = await ctx.control.updateQueue({
      ...name,
      ...(concurrency == null ? {} : { concurrency }),
      ...(rateLimit == null ? {} : { rateLimit: { limit: rateLimit.limit, perMs: parseDuration(rateLimit.per) ?? 0 } }),
      ...(weight == null ? {} : { weight }),
      ...(profile == null ? {} : { profile }),
      ...(defaults == null ? {} : { defaultsJson: JSON.stringify(defaults) }),
      clear,
      requester: requesterOf(req),
    })
    return { status: 200, body: queueView(queue) }
  }
}

/** What the schema cannot say of a duration: that it is one, and where it has to be more than nothing. */
function checkDurations({ rateLimit, defaults }: QueueChange): void {
  const errors: FieldError[] = []
  const check = (path: string, text: string | undefined, positive: boolean) => {
    if (text === undefined) return
    const ms = parseDuration(text)
    const message = ms === undefined ? 'must be a duration such as 500ms, 30s, 5m, 1h or 2d' : 'must be above nothing'
    if (ms === undefined || (positive && ms === 0)) errors.push({ path, code: 'bad_duration', message })
  }
  check('/rateLimit/per', rateLimit?.per, true)
  check('/defaults/timeout', defaults?.timeout, true)
  check('/defaults/retry/delay', defaults?.retry?.delay, false)
  check('/defaults/retry/maxDelay', defaults?.retry?.maxDelay, false)
  if (errors.length > 0) throw unprocessable('invalid_request', 'The request is not valid.', errors)
}
