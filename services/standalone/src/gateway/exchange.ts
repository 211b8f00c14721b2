import type { IncomingMessage, ServerResponse } from 'node:http'
import type { GatewayRoute } from './gateway-config.js'

/** One request on its way through. */
export interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly route: GatewayRoute
  /** Normalised path and query. */
  readonly target: string
  readonly requestId: string
  readonly clientAddress: string
  /** As the caller sees it. */
  readonly scheme: 'http' | 'https'
  readonly traceparent: string
  /** The caller waits for "100 Continue" before it sends the body. */
  readonly expectsContinue: boolean
}
