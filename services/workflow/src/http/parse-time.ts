import { unprocessable } from '@millrace/errors'

/** A time within the years that every store here can hold, in the one form that is compared as text. */
export function parseTime(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const time = new Date(text)
  const year = time.getUTCFullYear()
  if (Number.isNaN(year) || year < 1 || year > 9999) {
    throw unprocessable('invalid_request', 'The request is not valid.', [
      { path, code: 'out_of_range', message: 'must be a time of the years 1 to 9999' },
    ])
  }
  return time.toISOString()
}
