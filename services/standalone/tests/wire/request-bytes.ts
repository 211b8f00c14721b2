/** What an attacker would like a service to read as a request of its own. */
export const SMUGGLED =
  'GET /api/v1/runs/smuggled HTTP/1.1\r\nHost: x\r\nX-Millrace-Identity: FORGED\r\nContent-Length: 5\r\n\r\n'

export const FORGED = 'FORGED'

export interface WireCase {
  readonly name: string
  /** Latin-1: one character is one byte. */
  readonly bytes: string
  /**
   * `refused`: an error of the gateway's own, the connection closed, nothing behind it reached.
   * `safe`: served or refused, as the gateway's parser has it.
   * A number: so many requests are served.
   */
  readonly expected: 'refused' | 'safe' | number
  /** How many requests a correct reader sees in it, when that is not one. */
  readonly requests?: number
  /** The client closes its side after the last byte: the request is not whole. */
  readonly cut?: boolean
}

export const request = (line: string, headers: readonly string[], body = ''): string =>
  [line, 'Host: x', ...headers, '', body].join('\r\n')

export const sized = (body: string): string => `Content-Length: ${body.length}`

export const chunked = (...chunks: readonly string[]): string =>
  `${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`

export const token = 'Authorization: Bearer good'
export const json = 'Content-Type: application/json'

/** An open route without a body, one with, and guarded ones: small body, and upload of any size. */
export const lines = {
  health: 'GET /healthz HTTP/1.1',
  headKeys: 'HEAD /.well-known/jwks.json HTTP/1.1',
  login: 'POST /api/v1/auth/login HTTP/1.1',
  runs: 'GET /api/v1/runs HTTP/1.1',
  start: 'POST /api/v1/workflows/a/runs HTTP/1.1',
  upload: 'PUT /api/v1/artifacts/signed/abc HTTP/1.1',
} as const
