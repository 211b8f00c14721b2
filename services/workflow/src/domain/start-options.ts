import { type FieldError, unprocessable } from '@millrace/errors'

export interface StartOptions {
  delaySeconds?: number
  runAt?: string
  hold?: boolean
}

export const maxDelaySeconds = 10 * 366 * 86_400

const refuse = (error: FieldError) => unprocessable('invalid_request', 'The request is not valid.', [error])

/** When the run is to start; undefined = at once, which is also what a time in the past means. */
export function startTimeOf({ delaySeconds, runAt, hold }: StartOptions, now: Date): Date | undefined {
  if (delaySeconds === undefined && runAt === undefined) return undefined
  if (delaySeconds !== undefined && runAt !== undefined) {
    throw refuse({ path: '/runAt', code: 'conflict', message: 'stands for delaySeconds: give one of them' })
  }
  if (hold) throw refuse({ path: '/hold', code: 'conflict', message: 'a run on hold starts when it is resumed' })
  const at = runAt === undefined ? now.getTime() + (delaySeconds ?? 0) * 1_000 : Date.parse(runAt)
  if (Number.isNaN(at) || at > now.getTime() + maxDelaySeconds * 1_000) {
    throw refuse({ path: '/runAt', code: 'out_of_range', message: 'must be within the next ten years' })
  }
  return at <= now.getTime() ? undefined : new Date(at)
}
