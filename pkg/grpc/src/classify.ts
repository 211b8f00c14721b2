import { type AppError, toAppError, unavailable } from '@millrace/errors'
import { retryable } from '@millrace/postgres'

/**
 * A database that is away is an outage of a dependency, not a fault of this call: a caller waits an outage out, and gives
 * up on what keeps failing by itself.
 */
export function classify(error: unknown): AppError {
  const app = toAppError(error)
  if (app.code !== 'internal' || !retryable(app)) return app
  return unavailable('database_unavailable', 'The database is not available right now.', error)
}
