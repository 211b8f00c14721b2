export { EmbeddedPostgresError } from './embedded-postgres-error.js'
export { isAlive, isProcessOf } from './postmaster-file.js'
export { type RunningPostgres, type StartPostgresOptions, startPostgres } from './start-postgres.js'
