import { createHmac, timingSafeEqual } from 'node:crypto'

export type HookScheme = 'standard-webhooks' | 'github' | 'stripe' | 'hmac'

type Headers = Readonly<Record<string, string | string[] | undefined>>

export interface SignedCall {
  headers: Headers
  body: Buffer
  now: Date
}

export interface VerifiedCall {
  /** By which the sender knows this delivery again, where the scheme has such a thing. */
  deliveryId?: string
}

/** How far the sender's clock may be away from ours; also how long a call that was overheard can be repeated. */
const toleranceSeconds = 300
const defaultHeader = 'x-signature'

type Verify = (call: SignedCall, secret: string, header: string) => VerifiedCall | undefined

const schemes: Readonly<Record<HookScheme, Verify>> = {
  'standard-webhooks': verifyStandardWebhook,
  github: verifyGithub,
  stripe: verifyStripe,
  hmac: (call, secret, header) =>
    anyMatches(call.body, Buffer.from(secret), [textOf(call.headers, header)]) ? {} : undefined,
}

/** Undefined: the call does not come from whoever has the secret, or is too old. */
export function verifyHook(
  scheme: HookScheme,
  call: SignedCall,
  secret: string,
  header = defaultHeader,
): VerifiedCall | undefined {
  return schemes[scheme](call, secret, header.toLowerCase())
}

/** https://www.standardwebhooks.com: the id is signed too, so a repeated call is known by it. */
function verifyStandardWebhook({ headers, body, now }: SignedCall, secret: string): VerifiedCall | undefined {
  const id = textOf(headers, 'webhook-id')
  const timestamp = textOf(headers, 'webhook-timestamp')
  if (id === '' || !isFresh(timestamp, now)) return undefined
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const signatures = textOf(headers, 'webhook-signature')
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => one.slice('v1,'.length))
  const signed = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
  return anyMatches(signed, key, signatures) ? { deliveryId: id } : undefined
}

/** GitHub signs the body alone. Its delivery id is not signed: it tells a repeated delivery, not a forged one. */
function verifyGithub({ headers, body }: SignedCall, secret: string): VerifiedCall | undefined {
  const signature = textOf(headers, 'x-hub-signature-256')
  if (!signature.startsWith('sha256=') || !anyMatches(body, Buffer.from(secret), [signature])) return undefined
  const deliveryId = textOf(headers, 'x-github-delivery')
  return deliveryId === '' ? {} : { deliveryId }
}

/** `t=<seconds>,v1=<hex>[,v1=…]`; Stripe repeats an event under its own id, with a new time. */
function verifyStripe({ headers, body, now }: SignedCall, secret: string): VerifiedCall | undefined {
  const parts = textOf(headers, 'stripe-signature').split(',')
  const values = (name: string) =>
    parts.filter((one) => one.startsWith(`${name}=`)).map((one) => one.slice(name.length + 1))
  const [timestamp = ''] = values('t')
  if (!isFresh(timestamp, now)) return undefined
  const signed = Buffer.concat([Buffer.from(`${timestamp}.`), body])
  if (!anyMatches(signed, Buffer.from(secret), values('v1'))) return undefined
  const eventId = /^\s*\{\s*"id"\s*:\s*"(evt_[A-Za-z0-9_]{1,200})"/.exec(body.subarray(0, 1024).toString('utf8'))?.[1]
  return { deliveryId: eventId ?? `${timestamp}.${createHmac('sha256', secret).update(signed).digest('hex')}` }
}

function isFresh(timestamp: string, now: Date): boolean {
  return /^\d{1,11}$/.test(timestamp) && Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceSeconds
}

const mostSignatures = 10

/** HMAC-SHA256, in hex or base64, with or without `sha256=`. Compared in constant time, as bytes of one length. */
function anyMatches(signed: Buffer, key: Buffer, signatures: readonly string[]): boolean {
  const wanted = createHmac('sha256', key).update(signed).digest()
  return signatures
    .slice(0, mostSignatures)
    .map(decodeSignature)
    .some((given) => given.length === wanted.length && timingSafeEqual(given, wanted))
}

function decodeSignature(text: string): Buffer {
  const value = text.replace(/^sha256=/, '').trim()
  return Buffer.from(value, /^[0-9a-fA-F]{64}$/.test(value) ? 'hex' : 'base64')
}

function textOf(headers: Headers, name: string): string {
  const value = headers[name]
  return typeof value === 'string' ? value : ''
}
