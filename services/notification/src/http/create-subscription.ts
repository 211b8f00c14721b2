import { unprocessable } from '@millrace/errors'
import type { JsonReply, RouteHandler } from '@millrace/http'
import { isMailAddress } from '@millrace/mailer'
import { withTransaction } from '@millrace/postgres'
import { v7 } from 'uuid'
import type { AppContext } from '../context.js'
import { countSubscriptions, insertSubscription } from '../db/subscriptions.js'
import { type Digest, readDigest } from '../domain/digest.js'
import type { Filter } from '../domain/filter.js'
import { newWebhookSecret } from '../domain/secret-box.js'
import { columnsOfChannel } from '../subscription-channel.js'
import { audit } from './audit.js'
import { type ChannelInput, readChannel } from './read-channel.js'
import { subscriptionView } from './views.js'

interface CreateInput {
  events: string[]
  filter?: Filter
  channel: ChannelInput
  digest?: Digest
}

export const maxSubscriptions = 500

export function createSubscription(ctx: AppContext): RouteHandler {
  return async (req) => {
    const { events, filter, channel: input, digest } = req.body as CreateInput
    const channel = await readChannel(ctx.egress, input)
    const digestEvery = readDigest(digest, channel.type)
    const id = v7()
    const secret = channel.type === 'webhook' ? newWebhookSecret() : undefined
    const { projectId, subject, email } = req.identity
    return withTransaction(ctx.pool, async (tx) => {
      if ((await countSubscriptions(tx, projectId)) >= maxSubscriptions) {
        throw unprocessable('too_many_subscriptions', `A project has at most ${maxSubscriptions} subscriptions.`)
      }
      const row = await insertSubscription(tx, {
        id,
        projectId,
        events,
        filter: filter ?? {},
        digestEvery,
        ...columnsOfChannel(ctx.box, id, channel),
        secret: secret === undefined ? null : ctx.box.seal(secret, id),
        createdBy: subject,
        ownerEmail: email !== undefined && isMailAddress(email) ? email : null,
      })
      await audit(tx, req, 'subscription.created', `subscription:${id}`)
      const body = { ...subscriptionView(ctx.box, row, req.identity.role), ...(secret === undefined ? {} : { secret }) }
      const reply: JsonReply = { status: 201, body, once: ['secret'] }
      await req.settle(tx, reply)
      return reply
    })
  }
}
