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

/** The beginning of an unexpected answer, for the person who reads the error. */
export function snippet(response: EgressResponse): string {
  const text = response.body.subarray(0, 512).toString('utf8').trim()
  return text === '' ? '' : `: ${text}`
}
