import type { EgressResponse } from '@millrace/egress'

const jsonType = /^application\/(?:[\w.+-]+\+)?json\b/i

/** JSON is parsed, other text is a string, bytes that are not text are `{base64}`, nothing is null. */
export function readResponseBody(response: EgressResponse): unknown {
  if (response.body.length === 0) return null
  const text = asText(response.body)
  if (text === undefined) return { base64: response.body.toString('base64') }
  if (!jsonType.test(response.headers['content-type'] ?? '')) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function asText(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const snippetLength = 512
/** Longer than any secret in any form, so that one which begins within the snippet is seen whole. */
const readAhead = 256 * 1024

/** The beginning of an unexpected answer, for the person who reads the error. */
export function snippet(response: EgressResponse, hide: (text: string) => string): string {
  const text = response.body.subarray(0, snippetLength + readAhead).toString('utf8')
  const shown = hide(text).trim().slice(0, snippetLength)
  return shown === '' ? '' : `: ${shown}`
}
