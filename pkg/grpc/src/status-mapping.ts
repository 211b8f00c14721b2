import { type Metadata, Metadata as MetadataClass, type ServiceError, status } from '@grpc/grpc-js'
import { AppError, type ErrorCode, type FieldError, isErrorCode, toAppError } from '@millrace/errors'

const statuses: Record<ErrorCode, status> = {
  malformed: status.INVALID_ARGUMENT,
  unauthenticated: status.UNAUTHENTICATED,
  permission_denied: status.PERMISSION_DENIED,
  not_found: status.NOT_FOUND,
  conflict: status.ABORTED,
  too_large: status.OUT_OF_RANGE,
  unsupported_media_type: status.INVALID_ARGUMENT,
  unprocessable: status.INVALID_ARGUMENT,
  rate_limited: status.RESOURCE_EXHAUSTED,
  unavailable: status.UNAVAILABLE,
  deadline_exceeded: status.DEADLINE_EXCEEDED,
  cancelled: status.CANCELLED,
  internal: status.INTERNAL,
}

export const grpcStatusOf = (code: ErrorCode): status => statuses[code]

/** For peers that are not ours and send no `millrace-code`. */
const codes: Partial<Record<status, ErrorCode>> = {
  [status.CANCELLED]: 'cancelled',
  [status.INVALID_ARGUMENT]: 'malformed',
  [status.DEADLINE_EXCEEDED]: 'deadline_exceeded',
  [status.NOT_FOUND]: 'not_found',
  [status.ALREADY_EXISTS]: 'conflict',
  [status.PERMISSION_DENIED]: 'permission_denied',
  [status.RESOURCE_EXHAUSTED]: 'rate_limited',
  [status.FAILED_PRECONDITION]: 'conflict',
  [status.ABORTED]: 'conflict',
  [status.OUT_OF_RANGE]: 'too_large',
  // A replica of an earlier version, while one is replaced by the other.
  [status.UNIMPLEMENTED]: 'unavailable',
  [status.UNAVAILABLE]: 'unavailable',
  [status.UNAUTHENTICATED]: 'unauthenticated',
}

interface Extras {
  retryable: boolean
  fieldErrors?: FieldError[]
  retryAfterSeconds?: number
  details?: Record<string, string>
}

/** Trailers are limited to 8 KiB by most peers; a longer list of faults is cut rather than losing the whole answer. */
const MAX_EXTRAS_BYTES = 4096

function encodeExtras(error: AppError): Buffer {
  const extras: Extras = { retryable: error.retryable }
  if (error.retryAfterSeconds !== undefined) extras.retryAfterSeconds = error.retryAfterSeconds
  if (error.details !== undefined) extras.details = error.details
  let fieldErrors = error.fieldErrors
  for (;;) {
    if (fieldErrors !== undefined) extras.fieldErrors = fieldErrors
    const encoded = Buffer.from(JSON.stringify(extras))
    if (encoded.length <= MAX_EXTRAS_BYTES) return encoded
    if (fieldErrors === undefined || fieldErrors.length === 0) {
      return Buffer.from(JSON.stringify({ retryable: error.retryable }))
    }
    fieldErrors = fieldErrors.slice(0, Math.floor(fieldErrors.length / 2))
  }
}

export function toServiceError(error: unknown): Partial<ServiceError> & Error {
  const app = toAppError(error)
  const metadata: Metadata = new MetadataClass()
  metadata.set('millrace-code', app.code)
  metadata.set('millrace-reason', app.reason)
  metadata.set('millrace-error-bin', encodeExtras(app))
  return Object.assign(new Error(app.message), { code: grpcStatusOf(app.code), details: app.message, metadata })
}

function decodeExtras(metadata: Metadata | undefined): Partial<Extras> {
  const raw = metadata?.get('millrace-error-bin')[0]
  if (raw === undefined) return {}
  try {
    return JSON.parse(raw.toString()) as Partial<Extras>
  } catch {
    return {}
  }
}

const neutral: Record<ErrorCode, string> = {
  malformed: 'The request was not understood.',
  unauthenticated: 'The identity is missing or invalid.',
  permission_denied: 'This is not allowed.',
  not_found: 'Not found.',
  conflict: 'The request conflicts with the present state.',
  too_large: 'The message is too large.',
  unsupported_media_type: 'The content type is not supported.',
  unprocessable: 'The request breaks a rule.',
  rate_limited: 'Too many requests.',
  unavailable: 'A service that is needed cannot be reached.',
  deadline_exceeded: 'A service that is needed did not answer in time.',
  cancelled: 'The call was cancelled.',
  internal: 'An internal error occurred.',
}

/** The library reports a message over the limit with the status that also means a quota. */
function foreignCode(grpcCode: status | undefined, details: string | undefined): ErrorCode {
  if (grpcCode === undefined) return 'internal'
  if (grpcCode === status.RESOURCE_EXHAUSTED && details?.includes('larger than')) return 'too_large'
  return codes[grpcCode] ?? 'internal'
}

/** The text of a transport's own error holds addresses and is kept as the cause alone. */
export function appErrorOf(error: unknown): AppError {
  if (error instanceof AppError) return error
  const { code: grpcCode, details, metadata } = error as Partial<ServiceError>
  const sent = metadata?.get('millrace-code')[0]?.toString()
  const reason = metadata?.get('millrace-reason')[0]?.toString()
  if (sent !== undefined && isErrorCode(sent) && reason !== undefined) {
    return new AppError(sent, reason, details ?? neutral[sent], { ...decodeExtras(metadata), cause: error })
  }
  const code = foreignCode(grpcCode, details)
  return new AppError(code, code === 'internal' ? 'internal' : `upstream_${code}`, neutral[code], { cause: error })
}
