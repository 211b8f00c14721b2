import { unprocessable } from '@millrace/errors'

export interface Target {
  url: URL
  /** Lower case, without brackets or trailing dots. */
  host: string
  port: number
}

const defaultPorts: ReadonlyMap<string, number> = new Map([
  ['http:', 80],
  ['https:', 443],
])

export function normaliseHost(host: string): string {
  const bare = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host
  return bare.toLowerCase().replace(/(?<!\.)\.+$/, '')
}

/** The WHATWG parser turns decimal, octal, hex and full-width hosts into plain addresses: classify only its answer. */
export function parseTarget(url: string | URL, base?: URL): Target {
  const parsed = parseUrl(url, base)
  const defaultPort = defaultPorts.get(parsed.protocol)
  if (defaultPort === undefined) throw unprocessable('egress_denied', 'Only http and https addresses may be called')
  const host = normaliseHost(parsed.hostname)
  if (host === '') throw unprocessable('url_invalid', 'The URL has no host')
  return { url: parsed, host, port: parsed.port === '' ? defaultPort : Number(parsed.port) }
}

/** As a URL would have it: other protocols take the same odd forms of addresses, down in the system's resolver. */
export function canonicalHost(host: string): string {
  const bracketed = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host
  if (/[/\\?#@\s]/.test(bracketed)) throw unprocessable('url_invalid', 'The host cannot be parsed')
  return normaliseHost(parseUrl(`http://${bracketed}/`, undefined).hostname)
}

function parseUrl(url: string | URL, base: URL | undefined): URL {
  try {
    return new URL(url, base)
  } catch {
    throw unprocessable('url_invalid', 'The URL cannot be parsed')
  }
}
