export { EmbeddedPostgresError } from './embedded-postgres-error.js'
export { type RunningPostgres, type StartPostgresOptions, startPostgres } from './start-postgres.js'
