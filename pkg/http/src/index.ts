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
export type {
  HttpServer,
  HttpServerOptions,
  IdempotencyOptions,
  JsonReply,
  Readiness,
  RouteHandler,
  RouteReply,
  RouteRequest,
  StreamReply,
} from './types.js'
export { createChecker } from './validation.js'
