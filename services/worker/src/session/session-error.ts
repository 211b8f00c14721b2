import { AppError, type ErrorCode } from '@millrace/errors'

const expired: ReadonlySet<ErrorCode> = new Set(['unauthenticated', 'not_found'])
const refused: ReadonlySet<ErrorCode> = new Set(['malformed', 'unprocessable', 'too_large', 'unsupported_media_type'])

/** The scheduler no longer knows the session: only a new one helps. */
export const isSessionOver = (error: unknown): boolean => error instanceof AppError && expired.has(error.code)

/** Sending the same again cannot help. */
export const isRefused = (error: unknown): boolean => error instanceof AppError && refused.has(error.code)

export const isInternal = (error: unknown): boolean => error instanceof AppError && error.code === 'internal'
