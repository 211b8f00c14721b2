import { status } from '@grpc/grpc-js'
import type { authorizationDefinition, envoy } from '@millrace/contracts'
import { AppError, malformed, rateLimited, unauthenticated, unavailable } from '@millrace/errors'
import { grpcStatusOf, type HandlersOf } from '@millrace/grpc'
import { problemOfError } from '@millrace/http'
import { IDENTITY_HEADER, signIdentity } from '@millrace/identity'
import { matchRoute, type RouteMatch } from '@millrace/routes'
import { counter } from '@millrace/telemetry'
import { LRUCache } from 'lru-cache'
import { v7 } from 'uuid'
import type { IamContext } from '../context.js'
import { authorise } from '../domain/authorise.js'
import { isOddPath, pathOf } from '../domain/request-path.js'
import { type Bucket, takeToken } from '../domain/token-bucket.js'
import { type Known, noteRefusal } from './note-refusal.js'

const OVERWRITE_IF_EXISTS_OR_ADD = 2

const decisions = counter({
  name: 'millrace_iam_checks_total',
  help: 'Requests that the gateway asked about, by what was answered.',
  labelNames: ['outcome'],
})

type Request = Parameters<HandlersOf<typeof authorizationDefinition>['check']>[0]

export interface Asked {
  method: string
  /** Path and query, as the service will read them. */
  target: string
  path: string
  headers: Record<string, string>
  requestId: string
}

function askedOf(request: Request): Asked {
  const http = request.attributes?.request?.http
  if (!http) throw malformed('malformed_request', 'The request cannot be read.')
  const requestId = http.headers['x-request-id'] || http.id || v7()
  return { method: http.method, target: http.path, path: pathOf(http.path), headers: http.headers, requestId }
}

function bearerOf(headers: Record<string, string>): string {
  const authorization = headers.authorization ?? ''
  const bearer = /^bearer /i.test(authorization) ? authorization.slice(7).trim() : ''
  if (bearer === '') throw unauthenticated('unauthenticated', 'A bearer token is needed.')
  return bearer
}

const openAnswer: envoy.CheckResponse = {
  status: { code: status.OK },
  okResponse: { headersToRemove: [IDENTITY_HEADER] },
}

const streams: ReadonlySet<string | undefined> = new Set(['sse', 'ndjson'])

/**
 * Behind the gateway only the signed identity counts, so the credential goes no further; but a service that holds a
 * stream open needs it to ask, every few seconds, whether it is still good.
 */
function allowed(signed: string, match: RouteMatch | undefined): envoy.CheckResponse {
  return {
    status: { code: status.OK },
    okResponse: {
      headers: [{ header: { key: IDENTITY_HEADER, value: signed }, appendAction: OVERWRITE_IF_EXISTS_OR_ADD }],
      headersToRemove: streams.has(match?.route.stream) ? [] : ['authorization'],
    },
  }
}

const header = (key: string, value: string) => ({ header: { key, value }, appendAction: OVERWRITE_IF_EXISTS_OR_ADD })

function denied(error: AppError, requestId: string): envoy.CheckResponse {
  const headers = [
    header('content-type', 'application/problem+json'),
    header('x-request-id', requestId),
    header('cache-control', 'no-store'),
    header('x-content-type-options', 'nosniff'),
  ]
  if (error.code === 'unauthenticated') headers.push(header('www-authenticate', 'Bearer'))
  if (error.retryAfterSeconds !== undefined) headers.push(header('retry-after', String(error.retryAfterSeconds)))
  const body = JSON.stringify(problemOfError(error, requestId))
  return {
    status: { code: grpcStatusOf(error.code), message: error.reason },
    deniedResponse: { status: { code: error.httpStatus }, headers, body },
  }
}

/** What is not an answer about the caller is no permission either. */
function refusalOf(ctx: IamContext, error: unknown): AppError {
  if (error instanceof AppError && error.code !== 'internal') return error
  ctx.logger.error({ err: error }, 'a check failed')
  return unavailable('identity_unavailable', 'Identities cannot be checked right now.', error)
}

/** Envoy's question for every request. A credential seen a moment ago costs no query; the signature is for this request alone. */
export function check(ctx: IamContext): HandlersOf<typeof authorizationDefinition>['check'] {
  const buckets = new LRUCache<string, Bucket>({ max: 50_000 })

  function limit(subject: string): void {
    const { bucket, retryAfterSeconds } = takeToken(
      buckets.get(subject),
      ctx.config.requestsPerMinute,
      performance.now(),
    )
    buckets.set(subject, bucket)
    if (retryAfterSeconds > 0) throw rateLimited('rate_limited', 'Too many requests.', retryAfterSeconds)
  }

  /** Fills in what is known of the caller, for the audit log. */
  async function decide({ method, target, path, headers }: Asked, known: Known): Promise<envoy.CheckResponse> {
    if (isOddPath(path)) throw malformed('malformed_path', 'The path is not valid.')
    const match = matchRoute(method, path)
    known.operation = match?.route.operationId ?? 'unknown'
    if (match?.route.access === 'open') return openAnswer
    const bearer = bearerOf(headers)
    const credential = await ctx.credentials.resolve(bearer)
    known.credential = credential
    known.match = match
    limit(credential.subject)
    const identity = authorise(match, credential, headers['x-millrace-project'])
    // What no route of the table matches goes to workflow, which answers without asking who calls.
    const request = { service: match?.route.service ?? 'workflow', method, target }
    return allowed(signIdentity(identity, ctx.keys.signingKey, request), match)
  }

  return async (request) => {
    let requestId = ''
    let asked: Asked | undefined
    const known: Known = { operation: 'unknown' }
    try {
      asked = askedOf(request)
      requestId = asked.requestId
      const answer = await decide(asked, known)
      decisions.inc({ outcome: 'allowed' })
      return answer
    } catch (error) {
      const refusal = refusalOf(ctx, error)
      decisions.inc({ outcome: refusal.code })
      if (asked) noteRefusal(ctx, asked, known, refusal)
      return denied(refusal, requestId)
    }
  }
}
