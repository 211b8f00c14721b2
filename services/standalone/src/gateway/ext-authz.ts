import type { IncomingMessage } from 'node:http'
import { authorizationDefinition, type envoy } from '@millrace/contracts'
import { createGrpcClient } from '@millrace/grpc'
import type { Logger } from '@millrace/logger'
import type { AuthzConfig } from './gateway-config.js'

export interface HeaderChange {
  name: string
  value: string
  /** Added beside values already there; otherwise it replaces them. */
  append: boolean
}

export type Verdict =
  | { kind: 'allowed'; headers: HeaderChange[]; remove: string[]; responseHeaders: HeaderChange[] }
  | { kind: 'denied'; status: number; headers: HeaderChange[]; body: string }
  | { kind: 'failed' }

export interface CheckedRequest {
  req: IncomingMessage
  /** Path and query, as Envoy sends them. */
  target: string
  requestId: string
  clientAddress: string
  scheme: string
  traceparent: string
}

export interface ExtAuthz {
  check(request: CheckedRequest): Promise<Verdict>
  close(): void
}

export function createExtAuthz(config: AuthzConfig, address: string, logger: Logger): ExtAuthz {
  const client = createGrpcClient(authorizationDefinition, address, {
    defaultTimeoutMs: config.timeoutMs,
    logger,
  })
  return {
    async check(request) {
      try {
        return decisionOf(await client.check(checkRequest(request, config.allowedHeaders)))
      } catch (error) {
        logger.warn({ err: error, requestId: request.requestId }, 'authorisation check failed')
        return { kind: 'failed' }
      }
    },
    close: () => client.close(),
  }
}

function checkRequest(
  { req, target, requestId, clientAddress, scheme, traceparent }: CheckedRequest,
  allowed: ReadonlySet<string>,
): envoy.CheckRequest {
  const headers: Record<string, string> = {}
  for (const name of allowed) {
    const value = req.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  if (allowed.has('x-request-id')) headers['x-request-id'] = requestId
  if (allowed.has('traceparent')) headers.traceparent = traceparent
  if (allowed.has('x-forwarded-for')) headers['x-forwarded-for'] = clientAddress
  return {
    attributes: {
      source: { address: { socketAddress: { address: clientAddress, portValue: req.socket.remotePort ?? 0 } } },
      request: {
        http: {
          id: requestId,
          method: req.method ?? '',
          path: target,
          host: req.headers.host ?? '',
          scheme,
          protocol: 'HTTP/1.1',
          size: Number(req.headers['content-length'] ?? -1),
          headers,
        },
      },
    },
  }
}

const APPEND_IF_EXISTS_OR_ADD = 0

function changesOf(options: readonly envoy.HeaderValueOption__Output[]): HeaderChange[] {
  return options.flatMap(({ header, appendAction }) =>
    header?.key ? [{ name: header.key, value: header.value, append: appendAction === APPEND_IF_EXISTS_OR_ADD }] : [],
  )
}

/** An answer that says nothing clearly is no permission. */
function decisionOf({ status, okResponse, deniedResponse }: envoy.CheckResponse__Output): Verdict {
  if (deniedResponse || (status && status.code !== 0)) {
    return {
      kind: 'denied',
      status: deniedResponse?.status?.code || 403,
      headers: changesOf(deniedResponse?.headers ?? []),
      body: deniedResponse?.body ?? '',
    }
  }
  if (!okResponse) return { kind: 'failed' }
  return {
    kind: 'allowed',
    headers: changesOf(okResponse.headers),
    remove: okResponse.headersToRemove,
    responseHeaders: changesOf(okResponse.responseHeadersToAdd),
  }
}
