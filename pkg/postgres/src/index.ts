export {
  type Batcher,
  BatcherClosedError,
  type BatcherOptions,
  createBatcher,
  failFaulty,
  ItemFailure,
  isolateFaults,
} from '@millrace/batcher'
export { CompositeArray, type CompositeField, type CompositeFieldType } from './composites.js'
export { type Listener, type ListenerOptions, listen } from './listener.js'
export { type MigrateOptions, MigrationError, migrate } from './migrate.js'
export { createPool, type Pool, type PoolOptions, pingPool, type Queryable, type Tx } from './pool.js'
export { rewrapColumns, type SealedColumn } from './rewrap-columns.js'
export {
  mayCreateRoles,
  prepareServiceRoles,
  type ServiceRole,
  type ServiceRolesOptions,
  type SharedSchema,
} from './service-roles.js'
export { isDataError, isUniqueViolation, retryable, sqlState } from './sql-error.js'
export { TransactionAbortedError, type TransactionOptions, withTransaction } from './transaction.js'
