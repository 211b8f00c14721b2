import { AppError, internal } from '@millrace/errors'
import type { Identity } from '@millrace/identity'
import type { Route } from '@millrace/routes'
import type express from 'express'
import { authenticate, authorise } from './access.js'
import { type BodyReader, createBodyReader, type ReadBody } from './body.js'
import { type Attempt, assertKey, beginIdempotent, digestsOf } from './idempotency.js'
import { watchIdentity } from './identity-watch.js'
import { sendReply } from './reply.js'
import { clientAddressOf } from './request-facts.js'
import type { HttpServerOptions, RouteHandler, RouteReply, RouteRequest, StreamRecheck } from './types.js'
import { createValidator, type RouteValidator } from './validation.js'

export interface Incoming {
  req: express.Request
  res: express.Response
  params: Record<string, string>
  path: string
  search: string
  requestId: string
  signal: AbortSignal
  /** Aborts the signal. */
  end: () => void
}

export const isLive = ({ stream }: Route): boolean => stream === 'sse' || stream === 'ndjson'

export type Pipeline = (incoming: Incoming) => Promise<void>

const NO_PROJECT = '00000000-0000-0000-0000-000000000000'

/** One route's way from request to answer: who, may they, what, was it asked before, do it. */
export function createPipeline(route: Route, handler: RouteHandler, options: HttpServerOptions): Pipeline {
  const validator: RouteValidator = createValidator(route)
  const readBody: BodyReader = createBodyReader(route)
  const { recheck } = options
  const watched = isLive(route) && route.access !== 'open'
  if (watched && !recheck) throw new Error(`${route.operationId} is a live stream: its server needs a recheck`)
  return async (incoming) => {
    const { req } = incoming
    const identity = route.access === 'open' ? undefined : await authenticate(req, options.verifier, options.service)
    try {
      await serve(incoming, identity)
    } catch (error) {
      if (identity) noteRefusal(incoming, identity, error)
      throw error
    }
  }

  async function serve(incoming: Incoming, identity: Identity | undefined): Promise<void> {
    const { req, res } = incoming
    if (identity) authorise(route, identity, incoming.params)
    if (identity && watched && recheck) {
      watchIdentity({ ...incoming, route, identity }, recheck)
      await countStream(res, identity.projectId, recheck)
    }
    const query = validator.query(new URLSearchParams(incoming.search))
    const body = await readBody(req, res)
    if (body.bytes.byteLength > 0 && !isRawBody(route)) validator.body(body.value, body.bytes.byteLength)
    const request = buildRequest(incoming, identity, query, body)
    const key = route.idempotent ? req.headers['idempotency-key'] : undefined
    const reply =
      typeof key === 'string'
        ? await runOnce(assertKey(key), request, identity, incoming.path, body.bytes, handler, options)
        : await handler(request)
    await sendReply(res, reply, route)
  }

  function noteRefusal({ req, requestId }: Incoming, { projectId, subject, role }: Identity, error: unknown): void {
    if (!(error instanceof AppError) || !refusals.has(error.code)) return
    const target = `${route.operationId}:${error.reason}`
    options.onRefusal?.({ projectId, actor: subject, role, target, ip: clientAddressOf(req), requestId })
  }
}

const refusals: ReadonlySet<string> = new Set(['permission_denied', 'rate_limited'])

/** The caller may be gone before iam answered. */
async function countStream(res: express.Response, projectId: string, { openStream }: StreamRecheck): Promise<void> {
  const ended = await openStream?.(projectId)
  if (!ended) return
  if (res.closed) ended()
  else res.once('close', ended)
}

const isRawBody = (route: Route) => route.body?.contentTypes?.some((type) => type !== 'application/json') === true

function buildRequest(
  { req, res, params, requestId, signal }: Incoming,
  identity: Identity | undefined,
  query: Record<string, unknown>,
  body: ReadBody,
): RouteRequest {
  return {
    get identity() {
      if (!identity) throw internal('an open route has no identity')
      return identity
    },
    params,
    query,
    body: body.value,
    contentType: body.contentType,
    headers: req.headers,
    requestId,
    ip: clientAddressOf(req),
    signal,
    raw: { req, res },
    settle: () => Promise.resolve(),
  }
}

async function runOnce(
  key: string,
  request: RouteRequest,
  identity: Identity | undefined,
  path: string,
  body: Buffer,
  handler: RouteHandler,
  { idempotency, logger }: HttpServerOptions,
): Promise<RouteReply> {
  if (!idempotency) throw internal('an idempotent route needs a place for its keys')
  const scope = {
    projectId: identity?.projectId ?? NO_PROJECT,
    subject: identity?.subject ?? `anonymous:${request.ip}`,
    key,
  }
  const begun = await beginIdempotent(
    idempotency.pool,
    scope,
    digestsOf(idempotency, request.raw.req.method, path, body),
  )
  if (begun.kind === 'replay') return begun.reply
  const { attempt } = begun
  Object.assign(request, { idempotencyKey: key, settle: attempt.settle })
  try {
    const reply = await handler(request)
    await settleLate(attempt, reply, idempotency.pool, logger)
    return reply
  } catch (error) {
    await attempt.release().catch((cause: unknown) => logger.warn({ err: cause }, 'idempotency key not released'))
    throw error
  }
}

/** The work is done whatever happens here, so the caller gets the answer even if it could not be kept. */
async function settleLate(
  attempt: Attempt,
  reply: RouteReply,
  pool: NonNullable<HttpServerOptions['idempotency']>['pool'],
  logger: HttpServerOptions['logger'],
): Promise<void> {
  if (attempt.settled || 'stream' in reply) return
  await attempt.settle(pool, reply).catch((error: unknown) => logger.warn({ err: error }, 'idempotent answer not kept'))
}
