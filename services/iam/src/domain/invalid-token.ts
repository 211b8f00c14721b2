import { type AppError, unprocessable } from '@millrace/errors'

/** One answer for a one-time token that never was, was used, or has expired. */
export const invalidToken = (): AppError =>
  unprocessable('invalid_token', 'The link is not valid: it was used, or has expired. Ask for a new one.')
