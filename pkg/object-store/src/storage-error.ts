import { AppError, unavailable } from '@millrace/errors'

/** Whatever keeps the disk from serving us (full, read-only, broken, out of handles) passes or is the operator's to mend. */
export function storageUnavailable(cause: unknown): AppError {
  if (cause instanceof AppError) return cause
  const full = isCode(cause, 'ENOSPC') || isCode(cause, 'EDQUOT')
  return unavailable('storage_unavailable', full ? 'The storage is full.' : 'The storage is not available.', cause)
}

export const isMissing = (error: unknown): boolean => isCode(error, 'ENOENT')

function isCode(error: unknown, code: string): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === code
}

export async function onStorage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw storageUnavailable(error)
  }
}
