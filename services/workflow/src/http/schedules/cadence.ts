import { unprocessable } from '@millrace/errors'

/** How a schedule is timed, as people give it: by the clock, or at equal intervals. */
export interface Timing {
  cron?: string
  every?: string
}

const prefix = '@every '

/** The scheduler knows one text for both. Undefined when neither is given. */
export function toCron({ cron, every }: Timing): string | undefined {
  if (cron !== undefined && every !== undefined) throw refusal('cron and every exclude each other')
  if (cron?.startsWith(prefix)) throw refusal('an interval is given as every')
  return every === undefined ? cron : prefix + every
}

export function requireCron(timing: Timing): string {
  const cron = toCron(timing)
  if (cron === undefined) throw refusal('one of cron and every is needed')
  return cron
}

export const fromCron = (text: string): { cron: string | null; every: string | null } =>
  text.startsWith(prefix) ? { cron: null, every: text.slice(prefix.length) } : { cron: text, every: null }

const refusal = (message: string) =>
  unprocessable('invalid_request', 'The request is not valid.', [{ path: '/cron', code: 'invalid', message }])
