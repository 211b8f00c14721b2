import { malformed, notFound } from '@millrace/errors'
import { IDENTITY_HEADER } from '@millrace/identity'
import { consoleTokenPath, createMatcher, isConsolePath, type RouteMatch } from '@millrace/routes'
import { openSpan, SpanKind } from '@millrace/telemetry'
import type express from 'express'
import { assertCleanTarget } from './clean-target.js'
import { recordRequest } from './measure.js'
import { type Operation, operationsOf } from './operations.js'
import { classify, problemOf, sendError, sendProblem } from './problem.js'
import { sendJson } from './reply.js'
import { requestIdOf, type Target, targetOf } from './request-facts.js'
import { createPipeline, isLive, type Pipeline } from './route-pipeline.js'
import type { FileHandler, HttpServerOptions } from './types.js'

interface Arrived {
  req: express.Request
  res: express.Response
  target: Target
  requestId: string
}

export interface Dispatcher {
  middleware: express.RequestHandler
  /** For what express or an extension throws: never its own page with a stack trace. */
  onError: express.ErrorRequestHandler
  /** Ends live streams; other requests go on. */
  endStreams(): void
}

export const builtIn: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics'])

function createPipelines(options: HttpServerOptions): Map<string, Pipeline> {
  const pipelines = new Map<string, Pipeline>()
  const missing: string[] = []
  for (const route of options.routes) {
    if (builtIn.has(route.path)) continue
    const handler = options.handlers[route.operationId]
    if (handler) pipelines.set(route.operationId, createPipeline(route, handler, options))
    else missing.push(route.operationId)
  }
  const unknown = Object.keys(options.handlers).filter((name) => !pipelines.has(name))
  if (missing.length > 0) throw new Error(`routes without a handler: ${missing.join(', ')}`)
  if (unknown.length > 0) throw new Error(`handlers without a route: ${unknown.join(', ')}`)
  return pipelines
}

export function createDispatcher(options: HttpServerOptions, isStopping: () => boolean): Dispatcher {
  const pipelines = createPipelines(options)
  const matcher = createMatcher(options.routes.filter((route) => !builtIn.has(route.path)))
  const operations = operationsOf(options.readiness, isStopping, options.logger)
  const streams = new Set<AbortController>()
  const secretPrefixes = [
    consoleTokenPath,
    ...options.routes.flatMap(({ path }) => (path.includes('{token}') ? [path.slice(0, path.indexOf('{token}'))] : [])),
  ]

  const serve = async (incoming: Arrived, match: RouteMatch | undefined): Promise<void> => {
    const { req, res, target, requestId } = incoming
    assertCleanTarget(req.url)
    const operation = target.path === '/metrics' && cameByGateway(req) ? undefined : operations.get(target.path)
    if (operation) return serveOperation(req, res, operation, requestId)
    const pipeline = match && pipelines.get(match.route.operationId)
    if (!pipeline) {
      if (await serveFile(incoming, options.files)) return
      return refuse(res, matcher.methods(target.path), requestId)
    }
    const abort = new AbortController()
    res.on('close', () => abort.abort())
    if (isLive(match.route)) {
      streams.add(abort)
      res.on('close', () => streams.delete(abort))
      if (isStopping()) abort.abort()
    }
    await pipeline({
      req,
      res,
      params: match.params,
      ...target,
      requestId,
      signal: abort.signal,
      end: () => abort.abort(),
    })
  }

  const middleware: express.RequestHandler = (req, res) => {
    const startedAt = performance.now()
    const requestId = requestIdOf(req)
    const target = targetOf(req)
    const match = matcher.match(req.method, target.path)
    const operation = operationName(match?.route.operationId, target.path)
    // No write that races with the caller's leaving may end the process, whatever the Node version makes of it.
    res.on('error', () => undefined)
    setCommonHeaders(res, requestId, isStopping())
    const traceparent = req.headers.traceparent
    const span = openSpan(
      `${req.method} ${operation}`,
      { 'http.request.method': req.method, 'millrace.service': options.service, 'millrace.operation': operation },
      { traceparent: typeof traceparent === 'string' ? traceparent : undefined, remote: true, kind: SpanKind.SERVER },
    )
    res.once('close', () => {
      const facts = { service: options.service, operation, requestId, path: loggedPath(secretPrefixes, target.path) }
      span.run(() => recordRequest(req, res, facts, startedAt, options.logger))
      span.end(res.statusCode >= 500 ? new Error(`status ${res.statusCode}`) : undefined)
    })
    span.run(() => {
      serve({ req, res, target, requestId }, match).catch((error: unknown) => fail(error, res, requestId, options))
    })
  }
  return {
    middleware,
    onError: (error, req, res, _next) => fail(foreignError(error), res, requestIdOf(req), options),
    endStreams() {
      for (const stream of streams) stream.abort()
    },
  }
}

/** /metrics is never for the outside. The gateway always says for whom it asks, also where it asked for no identity. */
const cameByGateway = (req: express.Request) =>
  req.headers[IDENTITY_HEADER] !== undefined || req.headers['x-forwarded-for'] !== undefined

async function serveFile({ req, res, target }: Arrived, files: FileHandler | undefined): Promise<boolean> {
  const reads = req.method === 'GET' || req.method === 'HEAD'
  if (!files || !reads || !isConsolePath(target.path)) return false
  const reply = await files({ path: target.path, headers: req.headers })
  if (reply) sendJson(res, reply)
  return reply !== undefined
}

/** A token in a path is a secret, whatever was tried with it: whoever reads the logs must not be able to use it. */
function loggedPath(secretPrefixes: readonly string[], path: string): string {
  const prefix = secretPrefixes.find((start) => path.startsWith(start))
  return prefix === undefined ? path : `${prefix}…`
}

const operationName = (matched: string | undefined, path: string) =>
  matched ?? (builtIn.has(path) ? path.slice(1) : 'unknown')

function setCommonHeaders(res: express.Response, requestId: string, stopping: boolean): void {
  res.setHeader('x-request-id', requestId)
  res.setHeader('x-content-type-options', 'nosniff')
  res.setHeader('x-frame-options', 'DENY')
  res.setHeader('referrer-policy', 'no-referrer')
  res.setHeader('content-security-policy', "default-src 'none'; frame-ancestors 'none'")
  res.setHeader('cache-control', 'no-store')
  if (stopping) res.setHeader('connection', 'close')
}

async function serveOperation(
  req: express.Request,
  res: express.Response,
  operation: Operation,
  requestId: string,
): Promise<void> {
  if (req.method !== 'GET' && req.method !== 'HEAD') return refuse(res, ['GET', 'HEAD'], requestId)
  const reply = await operation(req.headers.accept)
  res.writeHead(reply.status, { 'content-type': reply.contentType, 'content-length': Buffer.byteLength(reply.body) })
  res.end(reply.body)
}

function refuse(res: express.Response, methods: readonly string[], requestId: string): void {
  if (methods.length === 0) {
    sendProblem(res, problemOf(404, 'not_found', 'There is nothing here.', requestId))
    return
  }
  const problem = problemOf(405, 'method_not_allowed', `Use ${methods.join(', ')}.`, requestId)
  sendProblem(res, problem, { allow: methods.join(', ') })
}

/** Errors of express and its middleware carry the status they mean. */
function foreignError(error: unknown): unknown {
  const status = typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined
  if (status === 404) return notFound('not_found', 'There is nothing here.')
  return typeof status === 'number' && status >= 400 && status < 500
    ? malformed('malformed_request', 'The request is malformed.', error)
    : error
}

function fail(error: unknown, res: express.Response, requestId: string, { logger }: HttpServerOptions): void {
  const app = classify(error)
  if (app.code === 'internal') logger.error({ err: error, requestId }, 'request failed')
  else if (app !== error || app.code === 'unavailable') logger.warn({ err: error, requestId }, 'request refused')
  if (res.destroyed) return
  if (res.headersSent) {
    // The answer has begun: cutting the connection is the only way left to say that it is not whole.
    logger.warn({ err: error, requestId }, 'answer cut short')
    res.destroy()
    return
  }
  sendError(res, app, requestId)
}
