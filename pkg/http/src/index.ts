export { MAX_BODY_BYTES } from './body.js'
export { purgeExpiredKeys } from './idempotency.js'
export { idempotencyMigration } from './idempotency-migration.js'
export {
  type CursorKind,
  type CursorOf,
  type CursorShape,
  DEFAULT_LIMIT,
  decodeCursor,
  encodeCursor,
  MAX_LIMIT,
  parseLimit,
} from './pagination.js'
export { type Problem, problemOf, problemOfError } from './problem.js'
export { createHttpServer } from './server.js'
export { createStaticFiles, type StaticFilesOptions } from './static-files.js'
export type {
  FileHandler,
  HttpServer,
  HttpServerOptions,
  IdempotencyOptions,
  JsonReply,
  Readiness,
  RouteHandler,
  RouteReply,
  RouteRequest,
  StreamRecheck,
  StreamReply,
} from './types.js'
export { createChecker } from './validation.js'
