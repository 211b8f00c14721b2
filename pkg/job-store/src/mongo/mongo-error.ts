import { AppError, unavailable } from '@millrace/errors'
import { MongoBulkWriteError, MongoServerError } from 'mongodb'

const duplicateKey = 11_000

/** Whatever keeps the server from answering passes or is the operator's to mend; the detail is only logged. */
export async function onMongo<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) throw error
    throw unavailable('job_store_unavailable', 'The store of jobs and logs is not available.', error)
  }
}

export function isDuplicateKey(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === duplicateKey
}

/** Of an unordered insert: whether every row that was refused is there already. */
export function onlyDuplicates(error: unknown): boolean {
  if (!(error instanceof MongoBulkWriteError)) return isDuplicateKey(error)
  const refused = Array.isArray(error.writeErrors) ? error.writeErrors : [error.writeErrors]
  return (
    error.result.getWriteConcernError() === undefined &&
    refused.length > 0 &&
    refused.every((row) => row.code === duplicateKey)
  )
}
