import type { Body } from '../api/types'
import type { Queue } from './worker-queries'

/** The settings of a queue as they are typed: all text, empty for "none". */
export interface QueueDraft {
  concurrency: string
  rateLimit: string
  ratePer: string
  weight: string
  profile: string
  timeout: string
  maxAttempts: string
}

export type QueueChange = Partial<
  Pick<Body<'updateQueue'>, 'concurrency' | 'rateLimit' | 'weight' | 'profile' | 'defaults'>
>

const textOf = (value: number | string | null | undefined): string => (value == null ? '' : String(value))

export const draftOf = ({ concurrency, rateLimit, weight, profile, defaults }: Queue): QueueDraft => ({
  concurrency: textOf(concurrency),
  rateLimit: textOf(rateLimit?.limit),
  ratePer: textOf(rateLimit?.per) || '1m',
  weight: textOf(weight),
  profile: textOf(profile),
  timeout: textOf(defaults?.timeout),
  maxAttempts: textOf(defaults?.retry?.maxAttempts),
})

const duration = /^(\d+(?:\.\d+)?(ms|s|m|h|d)|P\w+)$/
const wholeFault = (text: string, highest: number): string | undefined =>
  text === '' || (/^[1-9]\d*$/.test(text) && Number(text) <= highest)
    ? undefined
    : `A whole number from 1 to ${highest}, or nothing.`
const durationFault = (text: string): string | undefined =>
  duration.test(text) ? undefined : 'Such as 500ms, 30s, 5m, 1h or 2d.'

function weightFault(text: string): string | undefined {
  const weight = Number(text)
  return text === '' || (weight >= 0.01 && weight <= 1000) ? undefined : 'A number from 0.01 to 1000, or nothing.'
}

/** What cannot be sent as it is, by field. */
export function faultsOf(draft: QueueDraft): Partial<Record<keyof QueueDraft, string>> {
  const faults = {
    concurrency: wholeFault(draft.concurrency, 1_000_000),
    rateLimit: wholeFault(draft.rateLimit, 1_000_000),
    ratePer: draft.rateLimit === '' ? undefined : durationFault(draft.ratePer),
    weight: weightFault(draft.weight),
    timeout: draft.timeout === '' ? undefined : durationFault(draft.timeout),
    maxAttempts: wholeFault(draft.maxAttempts, 1000),
  }
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))
}

const numberOf = (text: string): number | null => (text === '' ? null : Number(text))

/** Retry settings that the form does not show are kept. */
function defaultsOf(queue: Queue, { timeout, maxAttempts }: QueueDraft): Queue['defaults'] {
  const { maxAttempts: _attempts, ...otherRetry } = queue.defaults?.retry ?? {}
  const retry = maxAttempts === '' ? otherRetry : { ...otherRetry, maxAttempts: Number(maxAttempts) }
  const defaults = { ...(timeout === '' ? {} : { timeout }), ...(Object.keys(retry).length === 0 ? {} : { retry }) }
  return Object.keys(defaults).length === 0 ? null : defaults
}

/** Only what differs: another person's change of another setting is not taken back. */
export function changeOf(queue: Queue, draft: QueueDraft): QueueChange {
  const before = draftOf(queue)
  const differs = (...names: (keyof QueueDraft)[]) => names.some((name) => draft[name] !== before[name])
  const rateDiffers = draft.rateLimit === '' ? before.rateLimit !== '' : differs('rateLimit', 'ratePer')
  return {
    ...(differs('concurrency') ? { concurrency: numberOf(draft.concurrency) } : {}),
    ...(rateDiffers
      ? { rateLimit: draft.rateLimit === '' ? null : { limit: Number(draft.rateLimit), per: draft.ratePer } }
      : {}),
    ...(differs('weight') ? { weight: numberOf(draft.weight) } : {}),
    ...(differs('profile') ? { profile: (draft.profile || null) as Queue['profile'] } : {}),
    ...(differs('timeout', 'maxAttempts') ? { defaults: defaultsOf(queue, draft) } : {}),
  }
}
