import type { Egress } from '@millrace/egress'
import { type FieldError, toAppError, unprocessable } from '@millrace/errors'
import { isMailAddress } from '@millrace/mailer'
import type { Channel } from '../domain/channel.js'
import { headerFaults, unmaskHeaders } from '../domain/webhook-headers.js'

/** As the route's schema lets it through. */
export type ChannelInput =
  | { type: 'webhook'; url: string; headers?: Record<string, string> }
  | { type: 'email'; to: string[] }
  | { type: 'slack'; url: string }

/** Checks what a schema cannot; `current` is what an update replaces. */
export async function readChannel(egress: Egress, input: ChannelInput, current?: Channel): Promise<Channel> {
  const faults = faultsOf(input)
  if (faults.length > 0) throw unprocessable('invalid_channel', 'The channel is not valid.', faults)
  if (input.type === 'email') return { type: 'email', to: [...new Set(input.to)] }
  const url = new URL(input.url)
  await assertAllowed(egress, url)
  if (input.type === 'slack') return { type: 'slack', url: url.href }
  const kept = current?.type === 'webhook' ? current.headers : {}
  return { type: 'webhook', url: url.href, headers: unmaskHeaders(input.headers ?? {}, kept) }
}

function faultsOf(input: ChannelInput): FieldError[] {
  switch (input.type) {
    case 'email':
      return input.to.flatMap((address, index) =>
        isMailAddress(address) ? [] : [fault(`/channel/to/${index}`, 'This is not a plain mail address.')],
      )
    case 'slack':
      return urlFaults(input.url)
    case 'webhook':
      return [...urlFaults(input.url), ...headerFaults(input.headers ?? {})]
  }
}

function urlFaults(text: string): FieldError[] {
  if (!URL.canParse(text)) return [fault('/channel/url', 'This is not a URL.')]
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return [fault('/channel/url', 'Only http and https.')]
  if (url.username !== '' || url.password !== '') return [fault('/channel/url', 'Credentials belong in a header.')]
  return url.hash === '' ? [] : [fault('/channel/url', 'A URL to post to has no fragment.')]
}

const fault = (path: string, message: string): FieldError => ({ path, code: 'invalid', message })

const longestCheckMs = 3000

/**
 * Refuses an address that is known to be guarded. A name that cannot be resolved right now is let through: every
 * delivery is checked again when it is sent, and that check decides.
 */
async function assertAllowed(egress: Egress, url: URL): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, longestCheckMs)
  })
  try {
    await Promise.race([egress.check(url), patience])
  } catch (error) {
    const reason = toAppError(error)
    if (reason.code !== 'unavailable') throw reason
  } finally {
    clearTimeout(timer)
  }
}
