import { type ErrorCode, httpStatusOf, isRetryableCode } from './codes.js'

export interface FieldError {
  path: string
  code: string
  message: string
  line?: number
}

export interface AppErrorOptions {
  retryable?: boolean | undefined
  fieldErrors?: FieldError[] | undefined
  retryAfterSeconds?: number | undefined
  details?: Record<string, string> | undefined
  cause?: unknown
}

/**
 * The one error that crosses a boundary. `message` is shown to the caller, so it never holds a secret, a payload or
 * another system's error text; those belong in `cause`, which is only logged.
 */
export class AppError extends Error {
  override readonly name = 'AppError'
  readonly code: ErrorCode
  /** Stable, snake_case, machine-readable: the `code` of a problem document. */
  readonly reason: string
  readonly retryable: boolean
  readonly fieldErrors?: FieldError[]
  readonly retryAfterSeconds?: number
  readonly details?: Record<string, string>

  constructor(code: ErrorCode, reason: string, message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.reason = reason
    this.retryable = options.retryable ?? isRetryableCode(code)
    if (options.fieldErrors !== undefined) this.fieldErrors = options.fieldErrors
    if (options.retryAfterSeconds !== undefined) this.retryAfterSeconds = options.retryAfterSeconds
    if (options.details !== undefined) this.details = options.details
  }

  get httpStatus(): number {
    return httpStatusOf(this.code)
  }
}

export const malformed = (reason: string, message: string, cause?: unknown): AppError =>
  new AppError('malformed', reason, message, { cause })

export const unauthenticated = (reason: string, message: string, cause?: unknown): AppError =>
  new AppError('unauthenticated', reason, message, { cause })

export const permissionDenied = (reason: string, message: string): AppError =>
  new AppError('permission_denied', reason, message)

export const notFound = (reason: string, message: string): AppError => new AppError('not_found', reason, message)

export const conflict = (reason: string, message: string, cause?: unknown): AppError =>
  new AppError('conflict', reason, message, { cause })

export const tooLarge = (reason: string, message: string): AppError => new AppError('too_large', reason, message)

export const unsupportedMediaType = (reason: string, message: string): AppError =>
  new AppError('unsupported_media_type', reason, message)

export const unprocessable = (reason: string, message: string, fieldErrors?: FieldError[]): AppError =>
  new AppError('unprocessable', reason, message, { fieldErrors })

export const rateLimited = (reason: string, message: string, retryAfterSeconds: number): AppError =>
  new AppError('rate_limited', reason, message, { retryAfterSeconds })

/** `quota` is told apart from the text: it is the one `errors[].code` of the answer. */
export const quotaExceeded = (quota: string, message: string, retryAfterSeconds = 3600): AppError =>
  new AppError('rate_limited', 'quota_exceeded', message, {
    retryAfterSeconds,
    fieldErrors: [{ path: '', code: quota, message: `the quota ${quota} is used up` }],
    // Waiting does not help by itself: somebody has to delete something, raise the quota, or let the day end.
    retryable: false,
  })

export const unavailable = (reason: string, message: string, cause?: unknown): AppError =>
  new AppError('unavailable', reason, message, { cause })

export const deadlineExceeded = (reason: string, message: string, cause?: unknown): AppError =>
  new AppError('deadline_exceeded', reason, message, { cause })

export const cancelled = (reason: string, message: string, cause?: unknown): AppError =>
  new AppError('cancelled', reason, message, { cause })

export const internal = (message: string, cause?: unknown): AppError =>
  new AppError('internal', 'internal', message, { cause })

/** Foreign errors become `internal` with a neutral message: their own text may hold anything and is only logged. */
export function toAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  return internal('An internal error occurred.', error)
}
