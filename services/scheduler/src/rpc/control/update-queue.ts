import type { control as proto } from '@millrace/contracts'
import { internal, unprocessable } from '@millrace/errors'
import type { UnaryHandler } from '@millrace/grpc'
import { withTransaction } from '@millrace/postgres'
import type { AppContext } from '../../context.js'
import { bumpControl, type QueueSettings } from '../../db/control.js'
import { countQueues, listQueues, lockQueue, type QueueChange, writeQueue } from '../../db/queues.js'
import type { QueueDefaults } from '../../domain/queue-defaults.js'
import { profiles } from '../../profiles.js'
import { readerProject } from '../caller.js'
import { recordChange } from './record-change.js'
import { toProtoQueue } from './to-proto.js'

type Request = proto.UpdateQueueRequest__Output

/** All of a project's settings are kept in every replica's memory. */
const MAX_QUEUES = 1000
const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

const wrong = (message: string) => unprocessable('invalid_queue', message)

export function updateQueue(ctx: AppContext): UnaryHandler<Request, proto.UpdateQueueResponse> {
  return async (request, call) => {
    const projectId = readerProject(call, request.projectId)
    const { name, withShared, requester } = request
    if (!namePattern.test(name)) throw wrong('A queue is named by letters, digits, dots, dashes and underscores.')
    await withTransaction(ctx.pool, async (tx) => {
      const before = await lockQueue(tx, projectId, name)
      if (!before) throw internal('the settings of a queue vanished under their lock')
      if ((await countQueues(tx, projectId)) > MAX_QUEUES)
        throw wrong('A project has settings for 1,000 queues at most.')
      const change = changed(before, request)
      await writeQueue(tx, projectId, name, change)
      await bumpControl(tx)
      await recordChange(tx, actionOf(before, request), `queue:${name}`, projectId, requester)
    })
    ctx.bus.hint()
    await ctx.engine.control.changed()
    const [queue] = await listQueues(ctx.pool, { projectId, withShared, name, after: '', limit: 1 })
    if (!queue) throw internal('a queue with settings was not found')
    return { queue: toProtoQueue(queue) }
  }
}

function changed(before: QueueSettings, request: Request): QueueChange {
  const cleared = new Set(request.clear)
  const pick = <T>(name: string, wanted: T | undefined, old: T | null): T | null =>
    cleared.has(name) ? null : (wanted ?? old)
  const rate = request.rateLimit && { limit: request.rateLimit.limit, perMs: request.rateLimit.perMs }
  const oldRate = before.rate_limit === null ? null : { limit: before.rate_limit, perMs: before.rate_per_ms ?? 0 }
  return checked({
    paused: request._paused === undefined ? before.paused : (request.paused ?? false),
    concurrency: pick('concurrency', request._concurrency && request.concurrency, before.concurrency),
    rateLimit: pick('rate_limit', rate ?? undefined, oldRate),
    weight: pick('weight', request._weight && request.weight, before.weight),
    profile: pick('profile', request._profile && profileOf(request.profile ?? ''), before.profile),
    defaults: pick('defaults', request._defaultsJson && defaultsOf(request.defaultsJson ?? ''), before.defaults),
  })
}

/** The workflow service has checked what people sent; these are the bounds that the rows rely on. */
function checked(change: QueueChange): QueueChange {
  const { concurrency, rateLimit, weight } = change
  if (concurrency !== null && !(concurrency >= 1)) throw wrong('concurrency is 1 or more')
  if (rateLimit !== null && !(rateLimit.limit >= 1 && rateLimit.perMs >= 1)) throw wrong('rateLimit is 1 or more')
  if (weight !== null && !(weight > 0 && weight <= 1000)) throw wrong('weight is above 0 and at most 1,000')
  return change
}

function profileOf(text: string) {
  const profile = profiles.find((known) => known === text)
  if (!profile) throw wrong(`profile is one of ${profiles.join(', ')}`)
  return profile
}

const defaultsOf = (text: string): QueueDefaults => JSON.parse(text) as QueueDefaults

function actionOf(before: QueueSettings, { _paused, paused }: Request): string {
  if (_paused === undefined || paused === before.paused) return 'queue.updated'
  return paused ? 'queue.paused' : 'queue.resumed'
}
