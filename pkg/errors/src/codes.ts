/** The closed set of canonical codes. Each maps to exactly one HTTP status and one gRPC status. */
export const errorCodes = [
  'malformed',
  'unauthenticated',
  'permission_denied',
  'not_found',
  'conflict',
  'too_large',
  'unsupported_media_type',
  'unprocessable',
  'rate_limited',
  'unavailable',
  'deadline_exceeded',
  'cancelled',
  'internal',
] as const

export type ErrorCode = (typeof errorCodes)[number]

const httpStatuses: Record<ErrorCode, number> = {
  malformed: 400,
  unauthenticated: 401,
  permission_denied: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  unprocessable: 422,
  rate_limited: 429,
  cancelled: 499,
  internal: 500,
  unavailable: 503,
  deadline_exceeded: 504,
}

export const httpStatusOf = (code: ErrorCode): number => httpStatuses[code]

const retryableCodes: ReadonlySet<ErrorCode> = new Set(['rate_limited', 'unavailable', 'deadline_exceeded'])

export const isRetryableCode = (code: ErrorCode): boolean => retryableCodes.has(code)

export const isErrorCode = (value: string): value is ErrorCode => (errorCodes as readonly string[]).includes(value)
