import { createHash } from 'node:crypto'

/** The one request that a signed identity is good for. */
export interface BoundRequest {
  /** The service that is to answer it. */
  readonly service: string
  readonly method: string
  /** Path and query, as they stand in the request line that the service reads. */
  readonly target: string
}

export const audienceOf = (service: string): string => `millrace:${service}`

/** A digest: a query may hold what does not belong into a token, and a token has to stay short. */
export const requestDigest = ({ method, target }: BoundRequest): string =>
  createHash('sha256').update(`${method} ${target}`).digest('base64url')

/**
 * Envoy and the Node gateway ask once more for a read whose connection ended under it, with the same headers; anything
 * else is sent once.
 */
export const usesAllowed = (method: string): number => (method === 'GET' || method === 'HEAD' ? 2 : 1)
