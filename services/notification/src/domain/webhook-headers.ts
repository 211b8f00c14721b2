import type { FieldError } from '@millrace/errors'

const name = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/
const value = /^[\t\x20-\x7e]{0,2048}$/

// Framing and connection belong to the client, the rest to the delivery itself.
const reserved: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'accept-encoding',
  'user-agent',
  'traceparent',
  'tracestate',
])
const reservedPrefixes = ['webhook-', 'x-millrace-', 'proxy-']

export function headerFaults(headers: Readonly<Record<string, string>>): FieldError[] {
  const faults: FieldError[] = []
  const seen = new Set<string>()
  for (const [header, content] of Object.entries(headers)) {
    const path = `/channel/headers/${header}`
    const lower = header.toLowerCase()
    if (!name.test(header)) faults.push({ path, code: 'header_invalid', message: 'This is not a header name.' })
    else if (reserved.has(lower) || reservedPrefixes.some((prefix) => lower.startsWith(prefix)))
      faults.push({ path, code: 'header_reserved', message: 'This header cannot be set.' })
    else if (seen.has(lower)) faults.push({ path, code: 'header_repeated', message: 'This header is given twice.' })
    if (!value.test(content))
      faults.push({ path, code: 'header_invalid', message: 'A header value is printable ASCII, on one line.' })
    seen.add(lower)
  }
  return faults
}

const sensitive = /authorization|cookie|token|secret|password|key|signature/i
export const masked = '********'

export function maskEveryHeader(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.keys(headers).map((header) => [header, masked]))
}

/** What editors see: whoever may read a subscription need not learn its credentials. */
export function maskHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([header, content]) => [header, sensitive.test(header) ? masked : content]),
  )
}

/** A masked value that comes back in an update means: as it was. */
export function unmaskHeaders(
  headers: Readonly<Record<string, string>>,
  current: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([header, content]) => [
      header,
      content === masked && Object.hasOwn(current, header) ? (current[header] ?? content) : content,
    ]),
  )
}
