import { normaliseHost } from './target.js'

export type AllowList = (host: string, port: number) => boolean

/** Parses `host:port` entries; an entry without a port is a fault, since it would open every port of a host. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const allowed = new Set(entries.map(parseEntry))
  return (host, port) => allowed.has(key(host, port))
}

function key(host: string, port: number): string {
  return `${host} ${port}`
}

function parseEntry(entry: string): string {
  const match = /^(\[[^\]]+\]|[^:[\]/@?#\s]+):(\d{1,5})$/.exec(entry.trim())
  const port = Number(match?.[2])
  if (!match?.[1] || port < 1 || port > 65_535)
    throw new Error(`"${entry}" is not an egress exception: expected host:port`)
  try {
    return key(normaliseHost(new URL(`http://${match[1]}/`).hostname), port)
  } catch {
    throw new Error(`"${entry}" is not an egress exception: the host is malformed`)
  }
}
