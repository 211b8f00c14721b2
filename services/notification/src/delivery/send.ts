import type { Egress } from '@millrace/egress'
import type { Mailer } from '@millrace/mailer'
import { currentTraceparent, SpanKind, withTraceparent } from '@millrace/telemetry'
import { Webhook } from 'standardwebhooks'
import type { ClaimedDelivery } from '../db/claim-deliveries.js'
import type { Attempt } from '../domain/delivery.js'
import type { Body } from '../domain/event-body.js'
import { renderMail } from '../domain/render-mail.js'
import { renderSlack } from '../domain/render-slack.js'
import type { SecretBox } from '../domain/secret-box.js'
import { attemptOf, type Verdict } from './attempt.js'
import { post } from './post.js'

export interface SenderDeps {
  egress: Egress
  mailer: Mailer
  box: SecretBox
  timeoutMs: number
  /** Counts mails of a project, or gives them back; throws when it may send no more today. */
  useMails: (projectId: string, mails: number) => Promise<void>
}

export type Send = (delivery: ClaimedDelivery, signal: AbortSignal) => Promise<Attempt>

/** One try over the delivery's channel, in the trace of the run it speaks of. */
export function createSender(deps: SenderDeps): Send {
  return (delivery, signal) =>
    withTraceparent(
      delivery.traceparent ?? undefined,
      'notification.deliver',
      { 'millrace.channel': channelOf(delivery), 'millrace.notification.id': delivery.id },
      () => attemptOf(async () => sendOver(deps, delivery, signal)),
      SpanKind.CLIENT,
    )
}

export const channelOf = (delivery: ClaimedDelivery) =>
  delivery.ownRecipients === null ? delivery.channelType : 'email'

function sendOver(deps: SenderDeps, delivery: ClaimedDelivery, signal: AbortSignal): Promise<Verdict> {
  switch (channelOf(delivery)) {
    case 'webhook':
      return sendWebhook(deps, delivery, signal)
    case 'slack':
      return sendSlack(deps, delivery, signal)
    case 'email':
      return sendMail(deps, delivery, signal)
  }
}

function sendWebhook(deps: SenderDeps, delivery: ClaimedDelivery, signal: AbortSignal): Promise<Verdict> {
  const custom = openHeaders(deps.box, delivery)
  const headers = { ...custom, ...signatureHeaders(deps.box, delivery, new Date()), ...traceHeaders(delivery) }
  const url = delivery.url ?? ''
  return post(deps.egress, { url, headers, body: delivery.body, timeoutMs: deps.timeoutMs, signal })
}

function openHeaders(box: SecretBox, { headers, subscriptionId }: ClaimedDelivery): Record<string, string> {
  if (headers === null) return {}
  return JSON.parse(box.open(headers, subscriptionId)) as Record<string, string>
}

/** The id is the delivery's own, so every try carries the same one; the time is that of the try, as receivers check its age. */
function signatureHeaders(box: SecretBox, delivery: ClaimedDelivery, at: Date): Record<string, string> {
  const signatures = [delivery.secret, delivery.previousSecret]
    .filter((sealed) => sealed !== null)
    .map((sealed) => new Webhook(box.open(sealed, delivery.subscriptionId)).sign(delivery.id, at, delivery.body))
  return {
    'webhook-id': delivery.id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

function traceHeaders(delivery: ClaimedDelivery): Record<string, string> {
  const traceparent = currentTraceparent() ?? delivery.traceparent
  return traceparent === null ? {} : { traceparent }
}

function sendSlack(deps: SenderDeps, delivery: ClaimedDelivery, signal: AbortSignal): Promise<Verdict> {
  const body = JSON.stringify(renderSlack(JSON.parse(delivery.body) as Body))
  return post(deps.egress, { url: delivery.url ?? '', headers: {}, body, timeoutMs: deps.timeoutMs, signal })
}

async function sendMail(deps: SenderDeps, delivery: ClaimedDelivery, signal: AbortSignal): Promise<Verdict> {
  const message = {
    to: delivery.ownRecipients ?? delivery.recipients ?? [],
    ...renderMail(JSON.parse(delivery.body) as Body),
    messageId: `<${delivery.id}@millrace>`,
  }
  const mails = message.to.length
  await deps.useMails(delivery.projectId, mails)
  const { rejected } = await deps.mailer.send(message, { signal }).catch(async (error: unknown) => {
    // What was not sent does not count; if iam is away just now it does, until the day ends.
    await deps.useMails(delivery.projectId, -mails).catch(() => undefined)
    throw error
  })
  return rejected.length === 0 ? { ok: true } : { ok: true, responseSnippet: `refused: ${rejected.join(', ')}` }
}
