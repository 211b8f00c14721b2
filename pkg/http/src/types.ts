import type { IncomingHttpHeaders } from 'node:http'
import type { Identity, IdentityVerifier, ServiceTls } from '@millrace/identity'
import type { Logger } from '@millrace/logger'
import type { Pool, Queryable } from '@millrace/postgres'
import type { Route } from '@millrace/routes'
import type express from 'express'

export interface JsonReply {
  status: number
  body?: unknown
  headers?: Record<string, string>
  /** Top-level fields shown once: left out when the answer is replayed for an Idempotency-Key. */
  once?: readonly string[]
}

export interface StreamReply {
  /** Writes the answer itself; when it settles, the answer is ended. Watch `signal` to stop in time. */
  stream: (res: express.Response) => Promise<void>
}

export type RouteReply = JsonReply | StreamReply

export interface RouteRequest {
  /** Reading it on an open route is a programming error and throws. */
  readonly identity: Identity
  readonly params: Record<string, string>
  /** Only what the route declares, checked and coerced; a list's `limit` is always there. */
  readonly query: Record<string, unknown>
  /** Parsed and validated JSON; text or a Buffer where the route takes another type than JSON. */
  readonly body: unknown
  /** Lower case, without parameters. */
  readonly contentType: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly requestId: string
  readonly ip: string
  readonly idempotencyKey?: string
  /** Aborted when the caller goes away, and for event streams also when the server stops. */
  readonly signal: AbortSignal
  readonly raw: { req: express.Request; res: express.Response }
  /**
   * Records the answer for the caller's Idempotency-Key in the handler's own transaction, so that a crash right after
   * the commit cannot make a retry run twice. Does nothing without a key. Handlers that do not call it are recorded
   * after they return, which leaves that gap open.
   */
  settle(tx: Queryable, reply: JsonReply): Promise<void>
}

/** A GET or HEAD that no route has. Undefined: there is nothing at that path. */
export type FileHandler = (request: { path: string; headers: IncomingHttpHeaders }) => Promise<JsonReply | undefined>

export type RouteHandler = (req: RouteRequest) => Promise<RouteReply>

export interface Readiness {
  ok: boolean
  dependencies: Record<string, 'up' | 'down'>
}

export interface IdempotencyOptions {
  pool: Pool
  /** The first keys the digest of request bodies, the others kept digests before; needed where a body can hold a password. */
  digestKeys?: readonly string[]
}

/** How live streams find out that their caller may no longer read them. */
export interface StreamRecheck {
  /** Takes the whole `authorization` value and the slug of a project; throws when it is not good. */
  validateToken: (authorization: string, project?: string) => Promise<Identity>
  /** Counts the stream against its project's quota, and resolves to what says that it ended. */
  openStream?: (projectId: string) => Promise<() => void>
  everyMs?: number
  maxAgeMs?: number
}

export interface Refusal {
  projectId: string
  actor: string
  role: string
  /** The operation and the reason, such as `createArtifact:quota_exceeded`. */
  target: string
  ip: string
  requestId: string
}

export interface HttpServerOptions {
  /** Names the logs and metrics: a service of the table, or one that has only health routes. */
  service: string
  routes: readonly Route[]
  handlers: Record<string, RouteHandler>
  verifier: Pick<IdentityVerifier, 'verify'>
  logger: Logger
  readiness: () => Promise<Readiness>
  idempotency?: IdempotencyOptions
  /** Serves GET and HEAD of paths that the route table does not know and the API does not keep for itself. */
  files?: FileHandler
  /** Needed where a guarded route is a live stream (`sse`, `ndjson`). */
  recheck?: StreamRecheck
  /** Told of each request of a known caller that was refused (403, 429); it must not throw. */
  onRefusal?: (refusal: Refusal) => void
  /** Runs before the route table. */
  extend?: (app: express.Express) => void
  /** How long requests in flight may take after stop() was called. */
  drainMs?: number
  /** Only callers with a certificate are let in; probes have a port of their own. */
  tls?: ServiceTls | undefined
}

export interface HttpServer {
  /** Resolves to the bound port. */
  start(host: string, port: number): Promise<number>
  stop(): Promise<void>
}
